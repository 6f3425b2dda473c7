import { expect, test } from 'vitest'
import { hourMs } from '../../vocabulary/units.ts'
import { poissonFrom } from '../metrics/month.fixture.ts'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { evaluateGate } from './evaluate.ts'
import { type Hour, inputOf, monthly } from './hours.fixture.ts'

/**
 * Simulates a window of a week, looked at on each day of the following week, with agreement at its limit in the long
 * run. `SIMULATIONS=100 vitest run comparator/gate/rare-spells.test.ts` prints how often it passes falsely.
 */
const simulations = Number(process.env.SIMULATIONS ?? 20)
const week = 168
const alpha = 0.05
const disagreement = 0.01
const policy = monthly([{ metric: 'agreement', min: 1 - disagreement }], { duration: week * hourMs })

interface Spells {
  /** Disagreement in a spell, relative to the long-run mean. */
  times: number
  hours: number
  aWeek: number
}

/** Two weeks of hours that are bad or good, as a Markov chain. */
function hoursWith({ times, hours, aWeek }: Spells, random: () => number): Hour[] {
  const share = (hours * aWeek) / week
  const good = (1 - share * times) / (1 - share)
  const [begins, ends] = [share / hours / (1 - share), 1 / hours]
  let isBad = random() < share
  return Array.from({ length: 2 * week }, (_, i) => {
    if (random() < (isBad ? ends : begins)) isBad = !isBad
    const n = Math.max(1, poissonFrom(random, 100 * 20 ** (0.5 - 0.5 * Math.cos((2 * Math.PI * (i % 24)) / 24))))
    const wrong = Math.min(n, poissonFrom(random, n * disagreement * (isBad ? times : good)))
    return { n, agreement: 1 - wrong / n }
  })
}

function falselyPassed(spells: Spells): number {
  const random = randomFrom(5)
  let passed = 0
  for (let run = 0; run < simulations; run++) {
    const hours = hoursWith(spells, random)
    const looks = Array.from({ length: 8 }, (_, day) => hours.slice(24 * day, 24 * day + week))
    if (looks.some((seen) => evaluateGate(inputOf(policy, seen)).verdict === 'pass')) passed++
  }
  if (process.env.SIMULATIONS) console.log(JSON.stringify(spells), passed / simulations)
  return passed / simulations
}

test('bad spells of which a window holds dozens do not pass falsely', () => {
  expect(falselyPassed({ times: 4, hours: 1, aWeek: 33 })).toBeLessThanOrEqual(alpha)
})

test('bad spells of which a window may hold none do, however short they are, as the documentation says', () => {
  expect(falselyPassed({ times: 8, hours: 1, aWeek: 8 })).toBeLessThan(0.5)
  expect(falselyPassed({ times: 20, hours: 3, aWeek: 1 })).toBeGreaterThan(0.5)
})
