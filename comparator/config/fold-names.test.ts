import { expect, test } from 'vitest'
import { catalogueOfKinds } from '../metrics/catalogue/catalogue.ts'
import { foldNames } from './fold-names.ts'

/** What the notation stands for. */
const unfold = (text: string) =>
  text.split(', ').flatMap((family) =>
    family
      .split('.')
      .map((part) => part.split('|'))
      .reduce((names, parts) => names.flatMap((name) => parts.map((part) => `${name}.${part}`))),
  )

test('names that share a beginning or an ending are written once', () => {
  const names = [
    'mae',
    'latency.slower',
    ...['primary', 'delta'].flatMap((side) => [`latency.${side}.p50`, `latency.${side}.p95`]),
  ]
  expect(foldNames(names)).toBe('mae, latency.slower, latency.primary|delta.p50|p95')
  expect(foldNames(['drift.psi', 'drift.ks', 'drift.primary.psi', 'drift.primary.ks'])).toBe(
    'drift.psi|ks, drift.primary.psi|ks',
  )
})

test('every metric of a kind, and of further outputs, is still named, in less than half the length', () => {
  const names = [...catalogueOfKinds('classification', [['urgency', 'regression']]).keys()]
  const folded = foldNames(names)
  expect(unfold(folded).sort()).toEqual(names.sort())
  expect(folded.length).toBeLessThan(names.join(', ').length / 2)
})
