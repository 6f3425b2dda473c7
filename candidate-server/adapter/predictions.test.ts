import { expect, test } from 'vitest'
import type { AdapterModel } from './adapter.ts'
import { predictionsOf } from './predictions.ts'

test('the label is that of the first of the highest scores, among however many', () => {
  const scores = new Float32Array(300_000).fill(-1)
  scores[200_000] = scores[250_000] = 2
  const model = {
    outputs: [{ name: 'scores', type: 'float32', shape: [-1, scores.length] }],
    batch: { kind: 'dynamic' },
    labels: Array.from(scores, (_, i) => `label ${i}`),
  } as unknown as AdapterModel
  const outputs = { scores: { type: 'float32' as const, shape: [1, scores.length], data: scores } }
  expect(predictionsOf(outputs, model).label).toBe('label 200000')
})
