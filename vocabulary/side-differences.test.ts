import { expect, test } from 'vitest'
import type { OutputMapping } from './output-mapping.ts'
import { differenceToClients } from './side-differences.ts'

const vector = { kind: 'embedding', vector: '/embedding' } as const
const classes = { kind: 'classification', scores: '/scores', topK: 3 } as const

test.each<[OutputMapping, string]>([
  [{ ...vector, candidate: { vector: '/predictions' } }, 'vector is "/predictions", of the primary "/embedding"'],
  [
    { kind: 'embedding', primary: { vector: '/a' }, candidate: { protocol: 'oip', vector: '/b' } },
    'vector is "/b", of the primary "/a"; protocol is "oip", of the primary not there',
  ],
  [{ ...classes, labelMap: { tabby: 'cat' } }, 'labels have other names (labelMap)'],
  [{ ...classes, primary: { scale: 0.01 } }, 'scale is not there, of the primary 0.01'],
])('%j', (mapping, difference) => {
  expect(differenceToClients(mapping)).toBe(
    `Clients get the candidate’s answers as they are, in another form than the primary’s: ${difference}.`,
  )
})

test.each<OutputMapping>([
  vector,
  classes,
  { kind: 'embedding', primary: { vector: '/a' }, candidate: { vector: '/a' } },
])('%j: clients notice nothing', (mapping) => {
  expect(differenceToClients(mapping)).toBeNull()
})
