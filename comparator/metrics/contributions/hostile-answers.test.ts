import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { compareObservation } from '../../compare/compare-observation.ts'
import { spellProblem } from '../../compare/read/mapping-problem.ts'
import { binOf } from '../../statistics/log-histogram.ts'
import { answered, observe, policyOf, randomFrom } from '../rollups.fixture.ts'
import { contributionOf } from './observation-contribution.ts'

const tolerance = { absolute: 1e-6, relative: 1e-3 }
const mappings: OutputMapping[] = [
  { kind: 'regression', value: '/a', candidate: { scale: -1e65, offset: 1 } },
  { kind: 'classification', scores: '/a', label: '/b', topK: 3 },
  { kind: 'classification', protocol: 'torchserve', scores: '/a', topK: 2, labelMap: { a: 'b', box: 'a' } },
  { kind: 'classification', scores: '/a', item: { label: '/a', score: '/b' }, topK: 3 },
  { kind: 'embedding', vector: '/a' },
  { kind: 'detection', boxes: '/a', iouMin: 0.1, candidate: { format: 'xywh' } },
  { kind: 'detection', protocol: 'torchserve', boxes: '/a', scores: '/b', classes: '/b', iouMin: 0.1 },
  { kind: 'text', text: '/a' },
  { kind: 'text', protocol: 'plain' },
  { kind: 'text', protocol: 'stream', text: '/a' },
  { kind: 'json', document: '', ignore: ['/*/b', '/a/*/a'], tolerance },
  { kind: 'json', protocol: 'oip', document: '', ignore: [], tolerance },
  { kind: 'embedding', protocol: 'oip', vector: '/a' },
  { kind: 'classification', scores: '/a', classes: '/a', scoreMin: 0.5, topK: 3 },
]

const words = [
  'a',
  'b',
  'box',
  'score',
  'label',
  '__proto__',
  'constructor',
  'outputs',
  'shape',
  'a\u0000',
  '\ud800',
  '',
]
const numbers = ['0', '-0', '1', '0.5', '-1', '1e-320', '1e69', '-1e69', '1e71', '1e999', '3']

/** JSON as text, so that it may contain what JSON.stringify would never write. */
function randomJson(random: () => number, depth: number): string {
  const pick = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!
  const several = (make: () => string) => Array.from({ length: Math.floor(random() * 5) }, make).join(',')
  const kind = random() * (depth > 0 ? 10 : 5)
  if (kind < 3) return pick(numbers)
  if (kind < 4) return JSON.stringify(pick(words))
  if (kind < 5) return pick(['true', 'false', 'null'])
  if (kind < 8) return `[${several(() => randomJson(random, depth - 1))}]`
  return `{${several(() => `${JSON.stringify(pick(words))}:${randomJson(random, depth - 1)}`)}}`
}

/** A body in which the pointers mostly find something. */
function randomBody(random: () => number): string {
  if (random() < 0.1) return randomJson(random, 4)
  const data = () => (random() < 0.5 ? `[${[1, 2].map(() => 0.5 - random())}]` : randomJson(random, 2))
  const output = () => `{"name":"a","datatype":"FP32","shape":[${Math.floor(random() * 2) + 1}],"data":${data()}}`
  const boxes = () => `[{"box":[0,0,${1 + random()},1],"label":"a","score":${random()}},${randomJson(random, 2)}]`
  const found = random() < 0.3 ? boxes() : randomJson(random, 3)
  return `{"a":${found},"b":${randomJson(random, 1)},"outputs":[${output()}]}`
}

describe('whatever two models answer', () => {
  test.each(mappings.map((mapping, i) => [i, mapping] as const))(
    'is compared, or gives a reason why not (%i: %j)',
    (seed, mapping) => {
      const random = randomFrom(100 + seed)
      const policy = policyOf(mapping)
      const kinds = new Set<string>()
      const isReadAlike = mapping.candidate === undefined && !('labelMap' in mapping)
      for (let round = 0; round < 1000; round++) {
        const primary = randomBody(random)
        const candidate = random() < 0.2 ? primary : randomBody(random)
        const observation = observe(answered(primary), answered(candidate))
        const comparison = compareObservation(mapping, observation)
        kinds.add(comparison.kind)
        if (comparison.kind === 'compared') {
          expect(comparison.disagreement).toBeGreaterThanOrEqual(0)
          expect(comparison.disagreement).toBeLessThan(Number.POSITIVE_INFINITY)
          if (primary === candidate && isReadAlike) expect(comparison.disagreement).toBe(0)
        } else if (comparison.problem !== undefined) {
          expect(spellProblem(comparison.problem).length).toBeLessThan(600)
          expect(spellProblem(comparison.problem).isWellFormed()).toBe(true)
        }
        const { sums, bins } = contributionOf(policy, observation, comparison)
        for (const [measure, value] of sums) {
          expect(Number.isFinite(value * value), `${measure} of ${primary} and ${candidate}`).toBe(true)
          expect(measure.length).toBeLessThan(500)
          expect(measure.includes('\0') || !measure.isWellFormed(), measure).toBe(false)
        }
        for (const [, value] of bins) expect(Number.isSafeInteger(binOf(value))).toBe(true)
      }
      // otherwise the test would have tried nothing
      expect([...kinds]).toContain('compared')
    },
  )
})
