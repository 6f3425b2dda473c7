import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { runCommand } from './support/command.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

let comparator: TestComparator
const { call, gateOf, promote } = promoting(() => comparator)
const replay = async (name: string, query = '') =>
  (await call('GET', `/v1/validations/${name}/gate/replay${query}`)).body
const run = (...args: string[]) =>
  runCommand(['gate', ...args, '--server', comparator.url], { UNDERSTUDY_TOKEN: tokens.viewer })

/** Changes the database behind the comparator's back. */
async function inDatabase(...statements: ReturnType<typeof sql>[]) {
  await comparator.stop()
  const { db, close } = await openDatabase(comparator.database.url)
  for (const statement of statements) await statement.execute(db)
  await close()
  await comparator.restart()
}

const names = ['turning', 'read', 'promoted', 'labelled', 'windows', 'policies']
const recently = { ...classification, name: 'recently', window: { ...classification.window, recent: '20s' } }
beforeAll(async () => {
  comparator = await startTestComparator([...names.map((name) => ({ ...classification, name })), recently])
})
afterAll(() => comparator?.close())

describe('a gate evaluation', () => {
  test('comes out the same when judged again, long after the evidence has moved on', async () => {
    const none = await gateOf('turning')
    await comparator.post(evidence('turning', { until: Date.now() - 70_000 }))
    const passed = await gateOf('turning')
    expect(passed).toMatchObject({
      verdict: 'pass',
      inputs: { revision: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    await comparator.post(evidence('turning', { wrong: 1 }))
    const failed = await gateOf('turning')
    expect(failed.verdict).toBe('fail')

    const { evaluations, summary } = await replay('turning')
    expect(evaluations.map(({ id, from, replayed }: any) => [id, from, replayed])).toEqual([
      [failed.id, 'kept', 'fail'],
      [passed.id, 'kept', 'pass'],
      [none.id, 'notReplayable', null],
    ])
    expect(summary).toEqual({ same: 2, different: 0, notReplayable: 1, leftOut: 0 })
    expect(await run('turning', '--replay')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('2 the same, 0 different'),
    })
    expect(await run('turning', '--replay', passed.id, '--json')).toMatchObject({ status: 0 })
    expect(await run('turning', '--replay', '--since', 'yesterday')).toMatchObject({ status: 2 })
  })

  test('that was the first in an hour to be read with a token can be judged again', async () => {
    await comparator.post(evidence('read', { until: Date.now() - 1000 }))
    const turned = await gateOf('read')
    await comparator.post(evidence('read', { seconds: 1 }))
    const read = await gateOf('read')
    expect([turned, read].map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
    expect(read.inputs.digest).toMatch(/^[0-9a-f]{64}$/)
    await comparator.post(evidence('read', { seconds: 1 }))
    const later = await gateOf('read')
    expect(later.inputs.digest).toBeNull()
    await comparator.post(evidence('read', { seconds: 1 }))
    const { evaluations } = await replay('read')
    const found = new Map(evaluations.map(({ id, from, replayed }: any) => [id, [from, replayed]]))
    expect([turned, read, later].map(({ id }) => found.get(id))).toEqual([
      ['kept', 'pass'],
      ['kept', 'pass'],
      ['notReplayable', null],
    ])
    expect(await run('read', '--replay')).toMatchObject({ status: 0 })
    expect(await run('read', '--replay', later.id)).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('not replayable: its window has moved on'),
    })
    const nothing = new Date(Date.now() + 60_000).toISOString()
    expect(await run('read', '--replay', '--since', nothing)).toMatchObject({ status: 3 })
  })

  test('without a change of verdict is replayed from rollups and, once signed, from its stored input', async () => {
    await comparator.post(evidence('promoted', { until: Date.now() - 1000 }))
    await gateOf('promoted')
    await comparator.post(evidence('promoted', { seconds: 1 }))
    await gateOf('promoted')
    await comparator.post(evidence('promoted', { seconds: 1 }))
    const again = await gateOf('promoted')
    expect(again.inputs.digest).toBeNull()
    const one = async () => (await replay('promoted', `?id=${again.id}`)).evaluations[0]
    expect(await one()).toMatchObject({ from: 'rollups', replayed: 'pass', differences: [] })
    const { status } = await promote('promoted')
    expect(status).toBe(201)
    expect(await one()).toMatchObject({ from: 'kept', replayed: 'pass' })
    await comparator.post(evidence('promoted', { seconds: 1, until: Date.now() + 500 }))
    expect(await one()).toMatchObject({ from: 'kept', replayed: 'pass' })
  })

  test('keeps its input if labels that no check uses arrive before it is signed', async () => {
    const observations = evidence('labelled', { until: Date.now() - 1000 }).map((one, i) => ({
      ...one,
      correlationId: `labelled ${i}`,
    }))
    await comparator.post(observations)
    const passed = await gateOf('labelled')
    const labels = observations.slice(-100).map(({ validation, correlationId }) => ({
      validation,
      correlationId,
      label: '1',
    }))
    const { body } = await comparator.call('POST', '/v1/labels', { body: { labels } })
    expect(body.accepted).toBe(100)
    expect((await promote('labelled', { gateId: passed.id })).status).toBe(201)
    expect((await call('GET', `/v1/evaluations/${passed.id}`)).body.inputs.digest).toBe(passed.inputs.digest)
    const { evaluations } = await replay('labelled', `?id=${passed.id}`)
    expect(evaluations[0]).toMatchObject({ from: 'kept', replayed: 'pass', differences: [], note: null })
  })

  test('is replayed with the newest-evidence rule, or without it if its version had none', async () => {
    await comparator.post(evidence('recently', { wrong: 0.02, until: Date.now() - 1000 }))
    const passed = await gateOf('recently')
    expect(passed.reason).toMatch(/^All 5 checks pass over \d+ exchanges, and none fails on its last 20 s alone\.$/)
    const [{ recent }] = passed.checks
    expect(recent).toMatchObject({ from: passed.window.recentFrom, limit: { min: 0.9 }, n: expect.any(Number) })
    expect((await gateOf('turning')).window.recentFrom).toBeNull()
    const one = async () => (await replay('recently', `?id=${passed.id}`)).evaluations[0]
    expect(await one()).toMatchObject({ from: 'kept', replayed: 'pass', differences: [] })
    await inDatabase(sql`
      update gate_evaluation set checks = (select jsonb_agg(value - 'recent') from jsonb_array_elements(checks))
      where id = ${passed.id}`)
    expect(await one()).toMatchObject({ from: 'kept', replayed: 'pass', differences: [] })
  })

  test('that was altered afterwards is found, with the differences', async () => {
    const [failed] = (await replay('turning')).evaluations
    await inDatabase(sql`update gate_evaluation set verdict = 'pass' where id = ${failed.id}`)
    const { evaluations } = await replay('turning', `?id=${failed.id}`)
    expect(evaluations[0].differences).toEqual([{ metric: 'gate', field: 'verdict', stored: 'pass', replayed: 'fail' }])
    const { status, stdout } = await run('turning', '--replay', failed.id)
    expect([status, stdout]).toEqual([1, expect.stringContaining('gate verdict: pass then, fail now')])

    await inDatabase(sql`
      update gate_input i set input = (select other.input from gate_input other where other.evaluation_id <> i.evaluation_id limit 1)
      where evaluation_id = ${failed.id}`)
    expect((await replay('turning', `?id=${failed.id}`)).evaluations[0]).toMatchObject({
      from: 'notReplayable',
      note: expect.stringContaining('altered'),
    })
  })
})

describe('a new window', () => {
  test('begins with another version and says so, and the old one can still be judged', async () => {
    await comparator.post(evidence('windows', { until: Date.now() - 80_000 }))
    const old = await gateOf('windows')
    expect(old.verdict).toBe('pass')
    await comparator.post(evidence('windows', { seconds: 5, version: '2' }))
    expect((await gateOf('windows')).verdict).toBe('inconclusive')
    const { windows } = (await call('GET', '/v1/validations/windows/windows')).body
    expect(windows.map(({ isCurrent, beganBecause }: any) => [isCurrent, beganBecause])).toEqual([
      [true, 'the candidate is now version 2 (was 1)'],
      [false, 'the first evidence'],
    ])
    const { body: judged } = await call('GET', `/v1/validations/windows/windows/${windows[1].id}/gate`)
    expect(judged).toMatchObject({ verdict: 'pass', checks: old.checks, window: old.window })
    expect((await call('GET', `/v1/validations/turning/windows/${windows[1].id}/gate`)).status).toBe(404)
  })

  test('begins with another policy, and says which part of it changed', async () => {
    await comparator.post(evidence('policies', { until: Date.now() - 80_000 }))
    await inDatabase(sql`
      update evidence_window set policy_digest = 'before', policy = jsonb_set(policy, '{gate,0,min}', '0.5')
      where validation = 'policies'`)
    await comparator.post(evidence('policies', { seconds: 5 }))
    const { windows } = (await call('GET', '/v1/validations/policies/windows')).body
    expect(windows.map(({ beganBecause }: any) => beganBecause)).toEqual([
      'the policy changed: gate',
      'the first evidence',
    ])
  })
})
