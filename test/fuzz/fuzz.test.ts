import { expect, test } from 'vitest'
import type { Verdict } from './check-round.ts'
import { playRound } from './round.ts'

const fixed = Array.from({ length: 11 }, (_, i) => i + 1)
const own = Math.floor(Math.random() * 2 ** 31)
const connections = 150

/** Longer runs: `node test/fuzz/run.ts --seconds N`. To replay a round: `--seed S --connections 150 --seconds 0`. */
test('whatever clients, upstreams and the comparator do, bytes, ledger and budget are right', async () => {
  console.log(`fuzz: seeds ${fixed} and ${own}`)
  let requests = 0
  for (const seed of [...fixed, own]) {
    const verdict = await playRound({ seed, forwarder: 'wire', connections })
    requests += verdict.requests
    expectNone(verdict)
  }
  expect(requests).toBeGreaterThan(5000)
})

test('they are also right over http-proxy-3', async () => {
  for (const seed of fixed.slice(0, 3)) {
    const verdict = await playRound({ seed, forwarder: 'http-proxy-3', connections })
    expectNone(verdict)
  }
})

/** A failed assertion of a list says no more than its length in a summary. */
const expectNone = ({ seed, violations }: Verdict) =>
  expect(violations.slice(0, 20).join('\n'), `seed ${seed}`).toBe('')
