import { execFileSync } from 'node:child_process'
import { closeSync, fstatSync } from 'node:fs'
import { join } from 'node:path'
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

test('without a file all pass in the message', () => {
  const wire = toWire(inParts(tensors), undefined)
  expect(fromWire(structuredClone(wire), undefined)).toEqual(tensors)
})

test('without room in the file what does not fit passes in the message, and the file keeps nothing of it', () => {
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const script = `
    import { fstatSync } from 'node:fs'
    import { openExchangeFile } from ${module('exchange-file.ts')}
    import { fromWire, inParts, toWire } from ${module('wire-tensors.ts')}
    const fd = openExchangeFile()
    const tensor = (bytes) => ({ type: 'uint8', shape: [bytes], data: new Uint8Array(bytes).fill(7) })
    const wire = toWire(inParts({ fits: tensor(20_000), large: tensor(100_000) }), fd)
    const read = fromWire(structuredClone(wire), fd)
    const arrived = Object.values(read).map(({ data }) => data.length * (data.every((value) => value === 7) ? 1 : 0))
    console.log(JSON.stringify({ fits: wire.fits.data, arrived, kept: fstatSync(fd).size }))`
  const limited = ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  const { fits, arrived, kept } = JSON.parse(execFileSync('sh', limited, { encoding: 'utf8' }))
  expect({ fits, arrived }).toEqual({ fits: { at: 0, bytes: 20_000 }, arrived: [20_000, 100_000] })
  expect(kept).toBeLessThan(32_000)
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
