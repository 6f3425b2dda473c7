import { describe, expect, test } from 'vitest'
import { difference } from './difference.ts'
import { prettyBody } from './pretty-body.ts'
import { requestImage } from './request-image.ts'
import { vectorText } from './vector-text.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFX'
const request = { method: 'POST', path: '/predictions/digits' }

describe('an input is shown as a picture', () => {
  test('when the body is one, or carries one', () => {
    expect(requestImage({ ...request, body: png, bodyEncoding: 'base64' })).toBe(`data:image/png;base64,${png}`)
    const json = JSON.stringify({ id: 'a', image: png })
    expect(requestImage({ ...request, body: json })).toBe(`data:image/png;base64,${png}`)
    const url = JSON.stringify({ image: `data:image/png;base64,${png}` })
    expect(requestImage({ ...request, body: url })).toBe(`data:image/png;base64,${png}`)
  })
  test('by its own bytes, not by what the client called it', () => {
    const svg = btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    const headers = { 'content-type': 'image/png' }
    expect(requestImage({ ...request, headers, body: svg, bodyEncoding: 'base64' })).toBeNull()
    expect(requestImage({ ...request, body: JSON.stringify({ image: `${png}" onerror="alert(1)` }) })).toBeNull()
  })
  test('and otherwise not', () => {
    for (const body of ['', 'null', '[1,2]', 'not json', '{"image": 4}']) {
      expect(requestImage({ ...request, body })).toBeNull()
    }
    expect(requestImage(null)).toBeNull()
  })
})

describe('two answers differ', () => {
  test('by a signed number, candidate minus primary', () => {
    expect(difference({ value: 152.3 }, { value: 171.8 })).toBe('+19.5')
    expect(difference({ value: 171.8 }, { value: 152.3 })).toBe('−19.5')
  })
  test('by a mean over equally long vectors only', () => {
    expect(difference({ value: [1, 2] }, { value: [2, 4] })).toBe('1.5 mean absolute')
    expect(difference({ value: [1, 2] }, { value: [2] })).toBeNull()
    expect(difference({ value: 1 }, null)).toBeNull()
  })
})

test('a body is indented, with long strings cut to their length', () => {
  expect(prettyBody('{"a":[1,2,3]}', 'utf8')).toBe('{\n  "a": [1, 2, 3]\n}')
  expect(prettyBody(JSON.stringify({ image: 'x'.repeat(1000) }), 'utf8')).toContain('(1000 characters)')
  expect(prettyBody('plain', 'utf8')).toBe('plain')
})

test('a long vector shows its first elements and its length', () => {
  expect(vectorText([1, 2, 3, 4, 5])).toBe('1, 2, 3, 4 … (5 values)')
})
