import { expect, test } from 'vitest'
import type { OutputMapping } from '../../../../vocabulary/mapping/output-mapping.ts'
import { compareObservation } from '../../../compare/compare-observation.ts'
import { exampleObservation } from './example-observation.ts'

const mappings: Record<string, OutputMapping> = {
  'a number': { kind: 'regression', value: '/prediction' },
  'a number in an array': { kind: 'regression', value: '/predictions/0/price' },
  'the whole body': { kind: 'regression', value: '' },
  'a name with a slash': { kind: 'regression', value: '/a~1b/c~0d' },
  'values of rows': { kind: 'regression', value: '/rows/*/price' },
  'scores in order': { kind: 'classification', scores: '/predictions', labels: ['0', '1', '2'], topK: 3 },
  'scores by label, and a label': { kind: 'classification', scores: '/out/scores', label: '/out/label', topK: 3 },
  'rows of scores with their labels': { kind: 'classification', scores: '/rows/*/s', label: '/rows/*/l', topK: 3 },
  'scores beside their labels': { kind: 'classification', scores: '/scores', classes: '/labels', topK: 3 },
  'a list of rows': { kind: 'classification', scores: '/*', labels: ['a', 'b'], topK: 3 },
  'scores in a list': {
    kind: 'classification',
    scores: '/top',
    item: { label: '/class', score: '/confidence' },
    topK: 3,
  },
  'a label alone': { kind: 'classification', label: '/class', topK: 3 },
  'a vector': { kind: 'embedding', vector: '/embedding' },
  'rows of vectors': { kind: 'embedding', vector: '/data/*/embedding' },
  'a text': { kind: 'text', text: '/choices/0/text' },
  'rows of texts': { kind: 'text', text: '/answers/*' },
  'rows of boxes': { kind: 'detection', boxes: '/images/*/boxes', scores: '/images/*/scores', iouMin: 0.5 },
  'a streamed text': { kind: 'text', protocol: 'stream', text: '/choices/0/delta/content' },
  'a plain body': { kind: 'text', protocol: 'plain' },
  'a document': { kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } },
  boxes: { kind: 'detection', boxes: '/boxes', iouMin: 0.5 },
  'boxes in objects': {
    kind: 'detection',
    boxes: '/items',
    box: '/bbox',
    score: '/score',
    label: '/name',
    iouMin: 0.5,
  },
  'boxes beside scores': { kind: 'detection', boxes: '/b', scores: '/s', classes: '/c', iouMin: 0.5 },
  'tensors of a number': { kind: 'regression', value: '/price', protocol: 'oip' },
  'tensors of rows': { kind: 'classification', scores: '/p/*', labels: ['a', 'b'], protocol: 'oip', topK: 3 },
  'tensors of scores': { kind: 'classification', scores: '/p', labels: ['a', 'b'], protocol: 'oip', topK: 3 },
  'sides that differ': {
    kind: 'regression',
    primary: { value: '/outputs/0' },
    candidate: { value: '/score', protocol: 'oip' },
  },
}

test.each(Object.entries(mappings))('the example observation of a mapping for %s is compared', (_, output) => {
  const observation = exampleObservation('v', output, { now: Date.UTC(2026, 10, 21), random: () => 0.5 })
  expect(compareObservation(output, observation)).toMatchObject({ kind: 'compared' })
})
