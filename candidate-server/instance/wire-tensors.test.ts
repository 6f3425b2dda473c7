import { closeSync, fstatSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { Tensors } from '../tensor/tensor.ts'
import { openExchangeFile } from './exchange-file.ts'
import { fromWire, inParts, toWire } from './wire-tensors.ts'

function exchange(): number {
  const fd = openExchangeFile()!
  onTestFinished(() => closeSync(fd))
  return fd
}
const floats = (count: number, from = 0) => Float32Array.from({ length: count }, (_, i) => from + i)
const tensors: Tensors = {
  large: { type: 'float32', shape: [2, 5001], data: floats(10_002) },
  small: { type: 'int64', shape: [2, 1], data: BigInt64Array.of(1n, -1n) },
  odd: { type: 'uint8', shape: [2, 10_001], data: new Uint8Array(20_002).fill(7) },
  wide: { type: 'float64', shape: [2, 5000], data: Float64Array.from(floats(10_000)) },
  texts: { type: 'string', shape: [2, 1], data: ['a', 'ü'] },
}

test('large tensors pass through the file, small ones and strings in the message, all unchanged', () => {
  const fd = exchange()
  const wire = toWire(inParts(tensors), fd)
  expect(wire.large!.data).toEqual({ at: 0, bytes: 40_008 })
  expect(wire.small!.data).toBeInstanceOf(Uint8Array)
  expect(fstatSync(fd).size).toBeGreaterThanOrEqual(40_008 + 20_002 + 80_000)
  expect(fromWire(structuredClone(wire), fd)).toEqual(tensors)
})

test('without a file, or without room in it, all pass in the message', () => {
  const wire = toWire(inParts(tensors), undefined)
  expect(fromWire(structuredClone(wire), undefined)).toEqual(tensors)
})

test('parts of several requests become one tensor', () => {
  const fd = exchange()
  for (const to of [fd, undefined]) {
    const parts = { x: { type: 'float32' as const, shape: [3, 4000], parts: [floats(4000), floats(8000, 4000)] } }
    expect(fromWire(structuredClone(toWire(parts, to)), to).x!.data).toEqual(floats(12_000))
  }
})

test('a batch may have any number of parts, some of them empty', () => {
  const fd = exchange()
  const parts = Array.from({ length: 4096 }, (_, i) => floats(i % 3 === 0 ? 0 : 20, i))
  const wire = toWire({ x: { type: 'float32', shape: [54_600], parts } }, fd)
  expect(wire.x!.data).toEqual({ at: 0, bytes: 4 * 54_600 })
  expect(fromWire(wire, fd).x!.data).toEqual(Float32Array.from(parts.flatMap((part) => [...part])))
})

test('data read into reused memory has exactly the announced length', () => {
  const fd = exchange()
  const memory = new Uint8Array(1 << 20).fill(9)
  const read = fromWire(toWire(inParts({ large: tensors.large! }), fd), fd, () => memory)
  expect(read.large!.data).toEqual(tensors.large!.data)
})
