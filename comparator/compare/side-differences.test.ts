import { expect, test } from 'vitest'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { differenceToClients } from './side-differences.ts'

const vector = { kind: 'embedding', vector: '/embedding' } as const
const classes = { kind: 'classification', scores: '/scores', topK: 3 } as const
const boxes = { kind: 'detection', boxes: '/boxes', iouMin: 0.5 } as const
const text = { kind: 'text', text: '/text' } as const
const names = (word: string) => Array.from({ length: 1000 }, (_, i) => `${word} ${i}`)
const otherLabels = 'scores of other labels, or in another order (labels)'

const sentence = (difference: string) =>
  `Clients would get the candidate’s answers unchanged, in a different form from the primary’s: ${difference}.`

test.each<[string, OutputMapping, string]>([
  [
    'another place',
    { ...vector, candidate: { vector: '/predictions' } },
    'vector at /predictions, where the primary has it at /embedding',
  ],
  [
    'another place in another protocol',
    { kind: 'embedding', primary: { vector: '/a' }, candidate: { protocol: 'oip', vector: '/b' } },
    'vector at /b, where the primary has it at /a; protocol oip, where the primary has json',
  ],
  [
    'lists as TorchServe has them',
    { ...classes, primary: { protocol: 'torchserve' } },
    'protocol json, where the primary has torchserve',
  ],
  [
    'a text that is the whole body',
    { ...text, candidate: { text: '' } },
    'text as the whole body, where the primary has it at /text',
  ],
  [
    'a place on one side alone',
    { ...classes, primary: { label: '/label' } },
    'no label, where the primary has it at /label',
  ],
  ['another unit', { ...classes, primary: { scale: 0.01 } }, 'scale 1, where the primary has 0.01'],
  [
    'another frame',
    { ...boxes, imageSize: [640, 480], candidate: { imageSize: [320, 240] } },
    'imageSize [320,240], where the primary has [640,480]',
  ],
  [
    'names in a list by other names',
    { ...classes, candidate: { item: { label: '/class', score: '/confidence' } } },
    'item {"label":"/class","score":"/confidence"}, where the primary has {"label":"/label","score":"/score"}',
  ],
  ['names in the answers', { ...classes, labelMap: { tabby: 'cat' } }, 'labels of other names (labelMap)'],
  ['names of boxes', { ...boxes, labelMap: { tabby: 'cat' } }, 'labels of other names (labelMap)'],
  ['another order', { ...classes, labels: ['a', 'b'], candidate: { labels: ['b', 'a'] } }, otherLabels],
  [
    'names that the map leaves others',
    {
      ...classes,
      primary: { labels: ['cat', 'dog'] },
      candidate: { labels: ['tabby', 'hound'] },
      labelMap: { tabby: 'cat' },
    },
    otherLabels,
  ],
  [
    'very many labels',
    { ...classes, primary: { labels: names('one') }, candidate: { labels: names('other') } },
    otherLabels,
  ],
])('clients would notice %s', (_, output, difference) => {
  expect(differenceToClients({ output })).toBe(sentence(difference))
})

test.each<[string, OutputMapping]>([
  ['one mapping for both', classes],
  ['the same place', { kind: 'embedding', primary: { vector: '/a' }, candidate: { vector: '/a' } }],
  ['the default protocol', { ...classes, candidate: { protocol: 'json' } }],
  ['the default scale and offset', { kind: 'regression', value: '/v', primary: { scale: 1, offset: 0 } }],
  ['the default of boxes', { ...boxes, candidate: { format: 'xyxy', coordinates: 'pixel' } }],
  ['an empty map', { ...classes, labelMap: {} }],
  ['a map that renames nothing', { ...classes, labelMap: { a: 'a' } }],
  [
    'names by position that the map makes equal',
    {
      ...classes,
      primary: { labels: ['cat', 'dog'] },
      candidate: { labels: ['tabby', 'dog'] },
      labelMap: { tabby: 'cat' },
    },
  ],
])('clients would not notice %s', (_, output) => {
  expect(differenceToClients({ output })).toBeNull()
})

test('differences in further outputs are reported by the output’s name', () => {
  const urgency = { kind: 'regression', value: '/u', candidate: { value: '/urgency' } } as const
  expect(differenceToClients({ output: classes, outputs: { same: text, urgency } })).toBe(
    sentence('outputs.urgency: value at /urgency, where the primary has it at /u'),
  )
  const outputs = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`n${i}`, urgency]))
  expect(differenceToClients({ output: classes, outputs })).toMatch(/outputs\.n5: [^;]*; 3 more\.$/)
})
