import { expect, test } from 'vitest'
import { cutFloats } from './cut-floats.ts'

function cut(text: string, arraysMax = 2) {
  const given = cutFloats(Buffer.from(text), arraysMax)
  return given && { json: String(given.json), arrays: given.arrays.map(({ shape, data }) => [shape, ...data]) }
}

test('cuts the arrays of numbers out of every data', () => {
  expect(cut('{"inputs":[{"data":[1,2.5],"name":"a"},{"data" : [[3],[4]] }]}')).toEqual({
    json: '{"inputs":[{"data":null,"name":"a"},{"data" :null }]}',
    arrays: [
      [[2], 1, 2.5],
      [[2, 1], 3, 4],
    ],
  })
})

test('leaves a string that only looks like the key', () => {
  expect(cut('{"name":"data","x":["data"],"data":[1]}')).toEqual({
    json: '{"name":"data","x":["data"],"data":null}',
    arrays: [[[1], 1]],
  })
})

test.each([
  ['no data', '{"inputs":[]}'],
  ['an empty array', '{"data":[]}'],
  ['texts', '{"data":["1"]}'],
  ['no array', '{"data":null}'],
  ['one that is no array beside one that is', '{"data":[1],"x":{"data":null}}'],
  ['numbers beyond float32', '{"data":[1e39]}'],
  ['ragged arrays', '{"data":[[1],[2,3]]}'],
  ['an array without an end', '{"data":[1,2'],
  ['a key without a value', '{"data"'],
  ['more arrays than asked for', '[{"data":[1]},{"data":[1]},{"data":[1]}]'],
  ['an escape, which may spell the key', '{"data":[1],"d\\u0061ta":null}'],
  ['an escaped quote before what looks like the key', '{"x":"\\"data":[1],"y":""}'],
])('cuts nothing out of %s', (_what, text) => {
  expect(cut(text)).toBeUndefined()
})
