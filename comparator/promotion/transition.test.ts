import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { promotionStates } from '../../vocabulary/api/promotion.ts'
import { actionsFrom, promotionSteps, transitionFrom, transitions } from './transition.ts'

test('docs/PROMOTION.md shows exactly the table of transitions', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/PROMOTION.md'), 'utf8')
  const section = page.slice(page.indexOf('## States'), page.indexOf('## Who must agree'))
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (from|---)/.test(line))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.replaceAll('`', '')),
    )
  expect(rows).toEqual(
    transitions.map(({ from, step, by, to, validation, live }) => [from ?? '–', step, by, to, validation ?? '–', live]),
  )
})

test('from every state each step leads to at most one state', () => {
  for (const from of [null, ...promotionStates]) {
    for (const step of promotionSteps) {
      const ways = transitions.filter((transition) => transition.from === from && transition.step === step)
      expect(ways.length).toBeLessThanOrEqual(1)
      expect(transitionFrom(from, step)).toBe(ways[0])
    }
  }
})

test('final states allow no action, and traffic is live only while rolling out or promoted', () => {
  for (const state of ['rejected', 'aborted', 'rolledBack'] as const) expect(actionsFrom(state)).toEqual([])
  for (const { to, live } of transitions) expect(live !== 'none').toBe(to === 'rollingOut' || to === 'promoted')
})

test('wherever traffic is live, a person can roll it back', () => {
  expect(actionsFrom('rollingOut')).toEqual(['abort', 'rollback'])
  expect(actionsFrom('promoted')).toEqual(['rollback'])
})
