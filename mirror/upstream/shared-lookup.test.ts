import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { type Lookup, SharedLookup, sharedLookup } from './shared-lookup.ts'

const asking =
  (lookup: Lookup) =>
  (hostname: string, all = false) =>
    new Promise<unknown>((resolve) => lookup(hostname, { all }, (error, address) => resolve(error?.code ?? address)))
const ask = asking(sharedLookup)

/** A name server whose answers the test controls. */
function nameServer(patienceMs: number) {
  const asked: Parameters<Lookup>[2][] = []
  const shared = new SharedLookup((_hostname, _options, answer) => asked.push(answer), patienceMs)
  const failure = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' })
  return {
    shared,
    ask: asking(shared.lookup),
    asked,
    answer: (address: string) => asked.shift()!(null, address, 4),
    fail: () => asked.shift()!(failure, '', 4),
  }
}
const noMatterHowLong = 3_600_000

test('concurrent callers with the same options share an answer, and later ones get a new one', async () => {
  const [one, many, again] = await Promise.all([
    ask('127.0.0.1', false),
    ask('127.0.0.1', true),
    ask('127.0.0.1', false),
  ])
  expect([one, many, again]).toEqual(['127.0.0.1', [{ address: '127.0.0.1', family: 4 }], '127.0.0.1'])
  expect(await ask('127.0.0.1', false)).toBe('127.0.0.1')
})

test('a name that does not exist fails for all callers', async () => {
  const failures = await Promise.all(Array.from({ length: 20 }, () => ask('nowhere.invalid', false)))
  expect(new Set(failures).size).toBe(1)
  expect(String(failures[0])).toMatch(/^E/)
})

test('a name is looked up for each connection, and follows the answer', async () => {
  const { ask, asked, answer } = nameServer(noMatterHowLong)
  const first = [ask('a'), ask('a')]
  expect(asked.length).toBe(1)
  answer('10.0.0.1')
  expect(await Promise.all(first)).toEqual(['10.0.0.1', '10.0.0.1'])
  const second = ask('a')
  await pause(20)
  answer('10.0.0.2')
  expect(await second).toBe('10.0.0.2')
})

test('every caller is answered once, with the last address or the new one', async () => {
  const { shared, ask, answer, fail } = nameServer(20)
  const first = ask('a')
  answer('10.0.0.1')
  await first
  const heard: string[] = []
  const call = (who: string) => shared.lookup('a', { all: false }, (_, address) => heard.push(`${who} ${address}`))
  call('overdue')
  await waitFor('the last address', () => heard.length > 0)
  call('meanwhile')
  fail()
  call('in doubt')
  answer('10.0.0.2')
  call('again')
  answer('10.0.0.3')
  await pause(1)
  expect(heard.sort()).toEqual(['again 10.0.0.3', 'in doubt 10.0.0.1', 'meanwhile 10.0.0.1', 'overdue 10.0.0.1'])
})

test('a name that can’t be resolved any more keeps its last address, without waiting, until it can be', async () => {
  const { shared, ask, asked, answer, fail } = nameServer(noMatterHowLong)
  const first = ask('a')
  answer('10.0.0.1')
  await first
  const during = ask('a')
  expect(shared.inDoubt).toBe(0)
  fail()
  expect([await during, shared.inDoubt]).toEqual(['10.0.0.1', 1])
  // nobody waits for the background lookup
  expect(await ask('a')).toBe('10.0.0.1')
  expect(await ask('a')).toBe('10.0.0.1')
  expect(asked.length).toBe(1)
  answer('10.0.0.2')
  expect(shared.inDoubt).toBe(0)
  const last = ask('a')
  answer('10.0.0.3')
  expect(await last).toBe('10.0.0.3')
})

test('a name server that does not answer is not waited for if there is a last address', async () => {
  const { shared, ask, asked, answer } = nameServer(20)
  const first = ask('a')
  answer('10.0.0.1')
  await first
  expect(await ask('a')).toBe('10.0.0.1')
  expect(shared.inDoubt).toBe(1)
  expect(await ask('a')).toBe('10.0.0.1')
  expect(asked.length).toBe(1)
  answer('10.0.0.2')
  expect(shared.inDoubt).toBe(0)
})

test('a name that was never resolved waits for its answer, however late, and fails if that fails', async () => {
  const { shared, ask, asked, answer, fail } = nameServer(20)
  const first = ask('a')
  fail()
  expect(await first).toBe('EAI_AGAIN')
  let address: unknown
  ask('a').then((now) => {
    address = now
  })
  ask('b').then(() => {})
  await pause(40)
  expect([address, shared.inDoubt]).toEqual([undefined, 0])
  answer('10.0.0.1')
  await waitFor('the late answer', () => address === '10.0.0.1')
  expect(asked.length).toBe(1)
})
