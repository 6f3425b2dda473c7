import { readFileSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { describe, expect, test } from 'vitest'
import { Random } from '../../test/fuzz/random.ts'
import { isaFlags } from '../cpu/isa-flags.ts'
import { loadModel } from '../instance/load-model.ts'
import { run } from '../instance/run-session.ts'
import { testModel } from '../testing/start-test-server.ts'
import { writeWeightsForAmx } from './amx-weights.ts'
import { readModelFile } from './model-file.ts'

const path = testModel('qdq-convolutions')
const shape = [2, 64, 6, 6]
const random = new Random(1)
const pixels = Float32Array.from({ length: 2 * 64 * 6 * 6 }, () => random.unit() * 8 - 4)

describe('weights of 8-bit convolutions', () => {
  test('are found if nothing else uses them', () => {
    const { int8Convolutions } = readModelFile(path)
    const found = int8Convolutions.map(({ weights, outputs, zeroPoints }) => [
      weights.to - weights.from,
      outputs,
      zeroPoints.to - zeroPoints.from,
    ])
    expect(found).toEqual([
      [64 * 64 * 9, 64, 64],
      [64 * 64, 64, 1],
    ])
    expect(readModelFile(testModel('qdq-u8s8')).int8Convolutions).toEqual([])
  })

  test('of enough products are written one lower, together with their zero point, and nothing else is changed', () => {
    const before = readFileSync(path)
    const after = Buffer.from(before)
    const { int8Convolutions } = readModelFile(path)
    expect(writeWeightsForAmx(after, int8Convolutions)).toBe(1)
    const { weights, zeroPoints } = int8Convolutions[0]!
    const expected = Buffer.from(before)
    for (let at = weights.from; at < weights.to; at++) expected.writeInt8(before.readInt8(at) - 1, at)
    expected.fill(0xff, zeroPoints.from, zeroPoints.to)
    // from int32_data (5) to raw_data (9), both length-delimited (2)
    expect(before[zeroPoints.varintsAt!]).toBe(5 * 8 + 2)
    expected[zeroPoints.varintsAt!] = 9 * 8 + 2
    expect(after.equals(expected)).toBe(true)
  })

  test.each([
    ['few of them for an output, however many outputs', 255 * 512, 512, 5, 0],
    ['a weight that has none below it', 256, 1, -128, 0],
    ['another zero point', 256, 1, 5, 3],
  ])('with %s stay as they are', (_what, count, outputs, weight, zeroPoint) => {
    const model = new Int8Array(count + 1).fill(weight)
    model[count] = zeroPoint
    const before = model.slice()
    const places = { weights: { from: 0, to: count }, outputs, zeroPoints: { from: count, to: count + 1 } }
    expect(writeWeightsForAmx(new Uint8Array(model.buffer), [places])).toBe(0)
    expect(model).toEqual(before)
  })

  test('are rewritten from 256 products per output on, however few the outputs', () => {
    const model = new Int8Array(257).fill(5)
    model[256] = 0
    const places = { weights: { from: 0, to: 256 }, outputs: 1, zeroPoints: { from: 256, to: 257 } }
    expect(writeWeightsForAmx(new Uint8Array(model.buffer), [places])).toBe(1)
    expect([...model]).toEqual([...new Array(256).fill(4), -1])
  })
})

describe('answers', () => {
  test('are identical to the bit', async () => {
    const written = readFileSync(path)
    writeWeightsForAmx(written, readModelFile(path).int8Convolutions)
    const answers = []
    for (const model of [readFileSync(path), written]) {
      const session = await InferenceSession.create(model)
      const { y } = await session.run({ x: new Tensor('float32', pixels, shape) })
      answers.push(y!.data)
    }
    expect(new Set(answers[0] as Float32Array).size).toBeGreaterThan(20)
    expect(answers[1]).toEqual(answers[0])
  })

  test.each([true, false])('are the same if a model is loaded with session.amx: %s', async (amx) => {
    const session = {
      graphOptimization: 'all',
      memoryArena: true,
      memoryPattern: true,
      amx,
      spaceToDepth: true,
      extra: {},
    } as const
    const warmUp = { rows: 1, length: 1 }
    const load = { path, threads: 1, spinning: 'never', session, warmUp, exchange: false } as const
    const loaded = await loadModel(load)
    const isWritten = amx && isaFlags().includes('amx_int8')
    expect(loaded.model).toMatchObject({ amxConvolutions: isWritten ? 1 : 0, int8: 'U8S7' })
    const { y } = await run(loaded.session, { x: { type: 'float32', shape, data: pixels } })
    const plain = await InferenceSession.create(path)
    expect(y!.data).toEqual((await plain.run({ x: new Tensor('float32', pixels, shape) })).y!.data)
  })
})
