import { parseArgs } from 'node:util'
import { type ForwarderName, playRound } from './round.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    connections: { type: 'string', default: '150' },
    forwarder: { type: 'string', default: 'wire' },
    only: { type: 'string' },
  },
})

/** Plays rounds with consecutive seeds until the time is over; `--seed` sets the first one. */
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const until = performance.now() + Number(values.seconds) * 1000
const totals: { [name: string]: number } = { rounds: 0, requests: 0, answered: 0, seen: 0, delivered: 0, violations: 0 }
const skipped: { [reason: string]: number } = {}
for (let seed = first; seed === first || performance.now() < until; seed++) {
  const verdict = await playRound({
    seed,
    forwarder: values.forwarder as ForwarderName,
    connections: Number(values.connections),
    ...(values.only !== undefined && { only: Number(values.only) }),
  })
  totals.rounds!++
  for (const name of ['requests', 'answered', 'seen', 'delivered'] as const) totals[name]! += verdict[name]
  totals.violations! += verdict.violations.length
  for (const [reason, count] of Object.entries(verdict.skipped)) skipped[reason] = (skipped[reason] ?? 0) + count
  for (const violation of verdict.violations) console.log(`seed ${seed}: ${violation}`)
}
console.log(JSON.stringify({ firstSeed: first, forwarder: values.forwarder, ...totals, skipped }))
process.exitCode = totals.violations! > 0 ? 1 : 0
