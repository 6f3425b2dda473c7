import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { ended, startCommand } from './support/command.ts'
import { regression, tokenConfig, tokens } from './support/comparator.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { intakeOn } from './support/intake.ts'
import { startModelServer } from './support/model-server.ts'
import { recountOfStored, rollupDifferences, storedRollups } from './support/recount.ts'
import { startTestMirror, temporaryDirectory } from './support/services.ts'

/** Counts in every way: a confusion matrix, another output, and slices by the request. */
const validation = {
  ...regression,
  outputs: { parity: { kind: 'classification', label: '/parity' } },
  slices: [{ name: 'tenth', pointer: '/tenth' }],
}
const startedAt = new Date().toISOString()
const closing: (() => unknown)[] = []
let database: TestDatabase
let comparatorUrl: string
let config: string
let comparator: ChildProcess
let mirror: Awaited<ReturnType<typeof startTestMirror>>

beforeAll(async () => {
  const directory = temporaryDirectory()
  database = await createTestDatabase()
  closing.push(directory.remove, () => database.drop())
  const port = await freePorts(1)
  comparatorUrl = `http://127.0.0.1:${port}`
  config = join(directory.path, 'comparator.yaml')
  const section = {
    listen: `127.0.0.1:${port}`,
    database: database.url,
    tokens: tokenConfig,
    validations: [validation],
  }
  writeFileSync(config, JSON.stringify({ comparator: section }))
  await startComparator()

  const valueIn = (body: string) => (JSON.parse(body) as { value: number }).value
  const primary = await startModelServer('1', (body) => {
    const prediction = valueIn(body)
    return { prediction, parity: prediction % 2 }
  })
  // wrong parity for every third one
  const candidate = await startModelServer('2', (body) => {
    const value = valueIn(body)
    return { prediction: value + 1, parity: (value + (value % 3 === 0 ? 1 : 0)) % 2 }
  })
  mirror = await startTestMirror({
    primary: primary.url,
    comparator: comparatorUrl,
    spool: join(directory.path, 'spool'),
    routes: [{ path: '/price', candidates: [{ validation: 'price', url: candidate.url }] }],
  })
  closing.push(primary.stop, candidate.stop, () => mirror.stop())
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

async function startComparator(): Promise<void> {
  comparator = startCommand(['comparator', '--config', config])
  closing.push(async () => {
    comparator.kill('SIGKILL')
    await ended(comparator)
  })
  await waitFor('the comparator to be ready', () =>
    fetch(`${comparatorUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
}

/** Of all evidence: on a busy machine, the first may be older than the window. */
const totals = async () => {
  const response = await fetch(`${comparatorUrl}/v1/validations/price/metrics?from=${startedAt}`, {
    headers: { authorization: `Bearer ${tokens.viewer}` },
  })
  return ((await response.json()) as { totals: Record<string, any> }).totals
}
const ledger = async () =>
  ((await (await fetch(`${mirror.adminUrl}/ledger`)).json()) as { validations: Record<string, any> }).validations.price

test('a comparator killed under load, twice, loses nothing and counts nothing twice', async () => {
  const perPhase = 250
  let sent = 0
  let errors = 0
  const client = async () => {
    for (let i = 0; i < perPhase; i++) {
      const value = sent++
      const response = await fetch(`${mirror.url}/price`, {
        method: 'POST',
        body: JSON.stringify({ value, tenth: value % 10 }),
      })
      if (response.status !== 200 || ((await response.json()) as { prediction: number }).prediction !== value) errors++
    }
  }
  for (let round = 0; round < 2; round++) {
    const load = Promise.all([client(), client(), client()])
    await waitFor(
      'observations of this round to be delivered',
      ledger,
      ({ delivered }) => delivered > round * perPhase * 3 + 50,
    )
    comparator.kill('SIGKILL')
    expect(await ended(comparator)).toBe('SIGKILL')
    await load
    expect((await ledger()).pending).toBeGreaterThan(0)
    await startComparator()
  }
  const entry = await waitFor('every observation to be delivered', ledger, ({ pending }) => pending === 0)
  expect(errors).toBe(0)
  expect(entry).toMatchObject({ seen: sent, delivered: sent, skipped: {} })
  const { samples: counted, mae } = await totals()
  expect(counted).toBe(sent)
  expect(mae).toBe(1)

  comparator.kill('SIGTERM')
  await ended(comparator)
  const { db, close } = await openDatabase(database.url)
  const known = intakeOn(db, [validation]).validations.get('price')!
  const stored = await storedRollups(db, known)
  expect(rollupDifferences(stored, await recountOfStored(db, known))).toEqual([])
  const samples = (slice: string) => {
    const buckets = [...stored].filter(([key]) => key.startsWith('1000 ') && key.endsWith(` ${slice}`))
    return buckets.reduce((sum, [, { sums }]) => sum + sums.get('exchange:le1KiB')!.n, 0)
  }
  expect([samples(''), samples('tenth=7')]).toEqual([sent, sent / 10])
  const cells = new Set(
    [...stored.values()].flatMap(({ sums }) => [...sums.keys()].filter((name) => /onfusion/.test(name))),
  )
  expect(cells.size).toBe(4)
  await close()
})
