import { readFileSync } from 'node:fs'
import { InferenceSession, Tensor as RuntimeTensor } from 'onnxruntime-node'
import { describe, expect, test } from 'vitest'
import { Random } from '../../test/fuzz/random.ts'
import type { SessionConfig } from '../config/session.ts'
import { isaFlags } from '../cpu/isa-flags.ts'
import { loadModel } from '../instance/load-model.ts'
import { run } from '../instance/run-session.ts'
import type { Tensor } from '../tensor/tensor.ts'
import { testModel } from '../testing/start-test-server.ts'
import { writeWeightsForAmx } from './amx-weights.ts'
import { readModelFile } from './model-file.ts'
import { writeStemInBlocks } from './stem-in-blocks.ts'

const images = 2
const random = new Random(1)
const floatsOf = (channels: number) =>
  Float32Array.from({ length: images * channels * 12 * 16 }, () => random.unit() * 12 - 5)
const bytes = Uint8Array.from({ length: images * 3 * 12 * 16 }, () => random.int(0, 255))

const stems = [
  { name: 'stem', type: 'float32', channels: 3, data: floatsOf(3), kernel: [12, 4, 4], pads: [2, 2, 1, 1] },
  { name: 'stem-of-pixels', type: 'uint8', channels: 3, data: bytes, kernel: [12, 2, 2], pads: [0, 0, 1, 1] },
  { name: 'stem-of-grey', type: 'float32', channels: 1, data: floatsOf(1), kernel: [4, 3, 3], pads: [1, 1, 1, 1] },
] as const

async function answerOf(model: Uint8Array, { type, channels, data }: (typeof stems)[number]) {
  const session = await InferenceSession.create(model)
  const { y } = await session.run({
    x: new RuntimeTensor(type as 'float32', data as Float32Array, [images, channels, 12, 16]),
  })
  return y!
}

describe('a first convolution with stride two', () => {
  test.each(stems)('gives answers identical to the bit in blocks: $name', async (stem) => {
    const plain = readFileSync(testModel(stem.name))
    const inBlocks = writeStemInBlocks(plain)!
    const expected = await answerOf(plain, stem)
    expect(new Set(expected.data as Float32Array).size).toBeGreaterThan(50)
    const answer = await answerOf(inBlocks, stem)
    expect(answer.dims).toEqual(expected.dims)
    expect(answer.data).toEqual(expected.data)
  })

  test('also if the convolution after it has its weights rewritten for AMX', async () => {
    const path = testModel('stem-and-more')
    const [stem] = stems
    const expected = await answerOf(readFileSync(path), stem)
    expect(new Set(expected.data as Float32Array).size).toBeGreaterThan(50)
    const file = readFileSync(path)
    expect(writeWeightsForAmx(file, readModelFile(path).int8Convolutions)).toBe(1)
    expect((await answerOf(writeStemInBlocks(file)!, stem)).data).toEqual(expected.data)
  })

  test.each(stems)('has twelve channels, or four, and as much padding as it needs: $name', ({ name, kernel, pads }) => {
    const text = Buffer.from(writeStemInBlocks(readFileSync(testModel(name)))!).toString('latin1')
    expect(text.match(/SpaceToDepth/g)).toHaveLength(1)
    const integers = (field: number, values: readonly number[]) =>
      values.map((value) => String.fromCharCode(field * 8, value)).join('')
    // dims (1) of a tensor, ints (8) of an attribute
    expect(text).toContain(integers(1, [6, ...kernel]))
    expect(text).toContain(integers(8, pads))
    expect(text).toContain(integers(8, [1, 1]))
  })

  test.each([
    'odd-height',
    'any-size',
    'every-pixel',
    'dilated',
    'groups',
    'four-channels',
    'zero-point',
    'scale-a-channel',
    'shared',
    'given-out',
    'branches',
    '16-bits',
    'weights-in-blocks',
    'floats',
    'output-shared',
    'signed-output',
    'relu',
  ])('stays as it is if it is of another kind: %s', (kind) => {
    expect(writeStemInBlocks(readFileSync(testModel(`no-stem-${kind}`)))).toBeUndefined()
  })

  const pads = '*\x11\n\x04pads@\x03@\x03@\x03@\x03\xa0\x01\x07'
  test('gives the same answers in blocks if it has no padding', async () => {
    const [stem] = stems
    const model = readFileSync(testModel(stem.name)).toString('latin1')
    // the attribute becomes a node's doc_string
    const plain = Buffer.from(model.replace(pads, `2\x11${'-'.repeat(17)}`), 'latin1')
    expect(plain.includes('pads')).toBe(false)
    const expected = await answerOf(plain, stem)
    expect(expected.dims).toEqual([images, 6, 3, 5])
    expect((await answerOf(writeStemInBlocks(plain)!, stem)).data).toEqual(expected.data)
  })

  test.each([
    ['group', '\n\x05group\x18\x01\xa0\x01\x02j\x03---'],
    ['dilations', '\n\tdilations@\x01@\x01j\x00'],
    ['kernel_shape', '\n\x0ckernel_shape@\x87\x00'],
  ])('comes in blocks with the attributes that PyTorch always writes: %s', (_name, attribute) => {
    const model = readFileSync(testModel('stem')).toString('latin1').replace(pads, `*\x11${attribute}`)
    const inBlocks = writeStemInBlocks(Buffer.from(model, 'latin1'))
    expect(Buffer.from(inBlocks!).includes('SpaceToDepth')).toBe(true)
  })

  test.each([
    ['of another name', 'stem', '"\x04Conv', '"\x04Fold'],
    ['of another domain', 'stem', pads, ':\x11com.microsoft.abc'],
    ['whose weights are used twice', 'stem', '\n\x01b\n\x07b_scale', '\n\x01w\n\x07b_scale'],
    ['on floats', 'stem', '\n\x02xd\n\x02wd', '\n\x02x_\n\x02wd'],
    ['with weights in floats', 'stem', '\n\x02xd\n\x02wd', '\n\x02xd\n\x02w_'],
    ['with unsigned weights', 'stem', '\x10\x03B\x01w', '\x10\x02B\x01w'],
    ['of stride two in one direction', 'stem', '\n\x07strides@\x02@\x02', '\n\x07strides@\x02@\x01'],
    ['dilated in one direction', 'no-stem-dilated', '\n\tdilations@\x02@\x02', '\n\tdilations@\x01@\x02'],
    ['on an image that may have been turned', 'stem-of-pixels', '"\x04Cast', '"\x04Turn'],
    ['with some zero points only', 'no-stem-zero-point', '*\x06\x03\x03', '*\x06\x00\x03'],
  ])('an operator %s stays as it is', (_what, name, from, to) => {
    const model = readFileSync(testModel(name)).toString('latin1')
    expect(model.split(from)).toHaveLength(2)
    expect(writeStemInBlocks(Buffer.from(model.replace(from, to), 'latin1'))).toBeUndefined()
  })

  test('in blocks already stays as it is', () => {
    expect(writeStemInBlocks(writeStemInBlocks(readFileSync(testModel('stem')))!)).toBeUndefined()
  })

  test.each([
    [{}, true],
    [{ spaceToDepth: false }, false],
    [{ graphOptimization: 'extended' }, true],
    [{ graphOptimization: 'basic' }, false],
    [{ graphOptimization: 'disabled' }, false],
    [{ extra: { 'session.disable_quant_qdq': true } }, false],
    [{ extra: { 'session.disable_quant_qdq': false } }, true],
  ] satisfies [Partial<SessionConfig>, boolean][])(
    'gives the same answers if a model is loaded, in blocks where it runs in 8 bits, with the session %j',
    async (own, inBlocks) => {
      const [stem] = stems
      const path = testModel(stem.name)
      const session: SessionConfig = {
        graphOptimization: 'all',
        memoryArena: true,
        memoryPattern: true,
        amx: true,
        spaceToDepth: true,
        extra: {},
        ...own,
      }
      const load = {
        path,
        threads: 1,
        spinning: 'never',
        session,
        warmUp: { rows: 1, length: 1 },
        exchange: false,
      } as const
      const loaded = await loadModel(load)
      const hasVnni = isaFlags().some((one) => one.endsWith('vnni'))
      expect(loaded.model.stemInBlocks).toBe(inBlocks && hasVnni)
      const x: Tensor = { type: 'float32', shape: [images, 3, 12, 16], data: stem.data }
      const { y } = await run(loaded.session, { x })
      const plain = await loadModel({ ...load, session: { ...session, spaceToDepth: false } })
      expect(y!.data).toEqual((await run(plain.session, { x })).y!.data)
    },
  )
})
