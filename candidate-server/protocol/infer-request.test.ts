import { describe, expect, test } from 'vitest'
import type { ModelInfo } from '../model/model-info.ts'
import { parseInferRequest } from './infer-request.ts'

const info: ModelInfo = {
  inputs: [{ name: 'x', type: 'float32', shape: [-1, 2] }],
  outputs: [{ name: 'y', type: 'float32', shape: [-1, 1] }],
  batch: { kind: 'dynamic' },
}
const head = (more: object = {}) =>
  JSON.stringify({
    inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 2], parameters: { binary_data_size: 8 } }],
    ...more,
  })
const ask = (json: string, values: number[]) => {
  const body = Buffer.concat([Buffer.from(json), Buffer.from(Float32Array.from(values).buffer)])
  return parseInferRequest(body, json.length, info)
}

describe('requests whose JSON is that of the one before', () => {
  test('have data of their own', () => {
    const all = [
      [1, 2],
      [3, 4],
      [5, 6],
    ].map((values) => ask(head(), values))
    expect(all.map(({ inputs }) => [...(inputs.x!.data as Float32Array)])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ])
  })

  test('are refused for their data alone', () => {
    ask(head(), [1, 2])
    expect(() => ask(head(), [1])).toThrow('expected at most the 4 bytes of binary data that are left, got 8')
    expect(() => ask(head(), [1, 2, 3])).toThrow('expected 8 bytes of binary data after the JSON')
    expect(ask(head(), [7, 8]).inputs.x!.data).toEqual(new Float32Array([7, 8]))
  })

  test('are not taken for them where a byte is another', () => {
    ask(head({ id: 'a' }), [1, 2])
    const other = ask(head({ id: 'b', parameters: { priority: 1 }, outputs: [{ name: 'y' }] }), [1, 2])
    expect(other).toMatchObject({ id: 'b', parameters: { priority: 1 }, outputs: [{ name: 'y', binary: false }] })
    expect(ask(head({ id: 'a' }), [1, 2])).toMatchObject({ id: 'a', parameters: {} })
    expect(() => ask(head().replace('FP32', 'FP64').replace('8', '4'), [1])).toThrow()
  })

  test('are compared with what was sent, whatever its memory has become', () => {
    const [one, other] = [Buffer.from(head({ id: 'a' })), Buffer.from(head({ id: 'b' }))]
    const body = Buffer.concat([one, Buffer.alloc(8)])
    parseInferRequest(body, one.length, info)
    other.copy(body)
    expect(ask(String(other), [1, 2]).id).toBe('b')
  })
})
