import { InferenceSession, type Tensor } from 'onnxruntime-node'
import { expect, test, vi } from 'vitest'
import type { ModelInfo, TensorInfo } from '../tensor/model-info.ts'
import { testModel } from '../testing/start-test-server.ts'
import { probeModel } from './probe-model.ts'

const row = (name: string, size = 2): TensorInfo => ({ name, type: 'float32', shape: [-1, size] })
const dynamic = (inputs: TensorInfo[], outputs: TensorInfo[]): ModelInfo => ({
  inputs,
  outputs,
  batch: { kind: 'dynamic' },
})
const open = (model: string) => InferenceSession.create(testModel(model), { logSeverityLevel: 4 })
const probe = async (model: string, info: ModelInfo) => probeModel(await open(model), info, true)

test.each(['softmax-of-rows', 'share-of-most', 'branch-by-most', 'branch-by-least'])(
  'rows of %s whose answer depends on other rows do not share batches',
  async (model) => {
    expect(await probe(model, dynamic([row('x')], [row('y')]))).toMatchObject({ mixesRows: true })
  },
)

test('if two dimensions of an output follow the rows, there are no batches', async () => {
  const info = dynamic([row('a'), row('b')], [row('scores', -1)])
  expect(await probe('all-pairs', info)).toMatchObject({ batch: { kind: 'none' } })
})

test.each([
  ['share-of-brightest', 'uint8'],
  ['share-of-most-int8', 'int8'],
  ['share-of-most-uint16', 'uint16'],
  ['share-of-most-int32', 'int32'],
  ['share-of-most-int64', 'int64'],
] as const)('whole numbers divided by the largest of all rows do not share batches: %s', async (model, type) => {
  const amounts: TensorInfo = { name: 'x', type, shape: [-1, 2] }
  expect(await probe(model, dynamic([amounts], [row('y')]))).toMatchObject({ mixesRows: true })
})

test.each([
  ['kinds-of-two-floats', 'float32', true],
  ['kinds-of-two-bytes', 'uint8', true],
  ['kinds-of-one', 'int64', undefined],
] as const)('if amounts are not known indices, 0 and 1 may be: %s', async (model, type, mixesRows) => {
  const kinds: TensorInfo = { name: 'x', type, shape: [-1, 9] }
  expect(await probe(model, dynamic([kinds], [row('y', 9)]))).toMatchObject({ batch: { kind: 'dynamic' }, mixesRows })
})

test.each(['sum-so-far', 'sum-from-here'])(
  'an influence on later rows, or on earlier ones, is found: %s',
  async (model) => {
    expect(await probe(model, dynamic([row('x')], [row('y')]))).toMatchObject({ mixesRows: true })
  },
)

test.each(['plus-row-number', 'share-of-row-count'])(
  'rows do not share batches where their place or their number counts: %s',
  async (model) => {
    expect(await probe(model, dynamic([row('x')], [row('y')]))).toMatchObject({ mixesRows: true })
  },
)

test('a model that takes steps for rows is found, though one step each shows nothing', async () => {
  const steps = row('x', -1)
  const rows: TensorInfo = { name: 'y', type: 'float32', shape: [-1] }
  expect(await probe('steps-for-rows', dynamic([steps], [rows]))).toMatchObject({ mixesRows: true, size: 1 })
})

test('sequences are not rows where the first dimension is time, however many steps they are probed with', async () => {
  const x: TensorInfo = { name: 'x', type: 'float32', shape: [-1, -1, 2] }
  expect(await probe('sum-over-time', dynamic([x], [row('y')]))).toMatchObject({ batch: { kind: 'none' } })
})

test('a fixed batch of any size takes as many runs to find it', async () => {
  const rows: TensorInfo[] = [{ name: 'x', type: 'float32', shape: [4, 2] }]
  const info: ModelInfo = { inputs: rows, outputs: [{ ...rows[0]!, name: 'y' }], batch: { kind: 'fixed', size: 4 } }
  expect(await probe('softmax-of-four', info)).toMatchObject({ mixesRows: true })
  const session = await open('fixed-batch')
  const runs = vi.spyOn(session, 'run')
  expect(await probeModel(session, info, true)).toMatchObject({ mixesRows: false })
  expect(runs).toHaveBeenCalledTimes(6)
})

test('if nothing shares runs, only the shapes are probed', async () => {
  const session = await open('softmax-of-rows')
  const runs = vi.spyOn(session, 'run')
  const probed = await probeModel(session, dynamic([row('x')], [row('y')]), false)
  expect(probed).toMatchObject({ batch: { kind: 'dynamic' }, mixesRows: undefined })
  expect(runs).toHaveBeenCalledTimes(2)
})

test('a model that uses randomness is not taken for one that mixes rows', async () => {
  const session = await open('lots')
  for (let start = 0; start < 50; start++) {
    const probed = await probeModel(session, dynamic([row('x', 1)], [row('y', 1)]), true)
    expect(probed).toMatchObject({ mixesRows: false })
  }
})

test('if the smallest sizes are refused, larger ones are tried', async () => {
  const image: TensorInfo = { name: 'x', type: 'float32', shape: [-1, 1, -1, -1] }
  const probed = await probe('softmax-of-images', dynamic([image], [row('y')]))
  expect(probed).toEqual({ batch: { kind: 'dynamic' }, mixesRows: true, shapes: { y: [1, 2] }, size: 32 })
})

test('a model that accepts none of them reports the refusal of the smallest', async () => {
  const image: TensorInfo = { name: 'x', type: 'float32', shape: [-1, -1, -1, -1] }
  await expect(probe('softmax-of-images', dynamic([image], [row('y')]))).rejects.toThrow(/Conv/)
})

test.each([
  ['pixels', [-1, 3, -1, -1], [1, 32, 64]],
  ['voxels, whose attention would take gigabytes,', [-1, 3, -1, -1, -1], [1]],
])('of %s, no more are tried than a start can afford', async (_, shape, sides) => {
  const session = await open('softmax-of-images')
  const runs = vi.spyOn(session, 'run')
  const image: TensorInfo = { name: 'x', type: 'float32', shape }
  await expect(probeModel(session, dynamic([image], [row('y')]), true)).rejects.toThrow()
  expect(runs.mock.calls.map(([feeds]) => (feeds.x as Tensor).dims.at(-1))).toEqual(sides)
})

test.each(['share-of-words', 'words-of-longest'])('an influence of texts on other rows is found: %s', async (model) => {
  const info = dynamic([{ ...row('x', 1), type: 'string' }], [row('y', model === 'share-of-words' ? 1 : -1)])
  expect(await probe(model, info)).toMatchObject({ mixesRows: true })
})

test.each([
  ['less-the-one-before', 5],
  ['less-the-second-before', 5],
  ['less-the-third-before', 5],
  ['less-the-mean-of-group', 8],
  ['more-by-large-first', 2],
  ['more-by-large-second', 2],
  ['more-by-small-first', 2],
  ['more-by-small-second', 2],
  ['plus-row-number', 4],
])('an influence on only some other rows is found, wherever they are: %s', async (model, size) => {
  const rows: TensorInfo[] = [{ name: 'x', type: 'float32', shape: [size, 2] }]
  const info: ModelInfo = { inputs: rows, outputs: [{ ...rows[0]!, name: 'y' }], batch: { kind: 'fixed', size } }
  expect(await probe(model, info)).toMatchObject({ mixesRows: true })
})

test('if no word is accepted, amounts still show the influence', async () => {
  const info = dynamic([{ ...row('text', 1), type: 'string' }, row('x')], [row('y')])
  expect(await probe('least-beside-no-words', info)).toMatchObject({ mixesRows: true })
})

test('rows that do not affect each other share batches', async () => {
  const info = dynamic([row('a'), row('b')], [row('total')])
  const session = await open('sum')
  const runs = vi.spyOn(session, 'run')
  expect(await probeModel(session, info, true)).toEqual({
    batch: { kind: 'dynamic' },
    mixesRows: false,
    shapes: { total: [1, 2] },
    size: 1,
  })
  // a large model takes its time for each of these rows before it is ready
  expect(runs.mock.calls.map(([{ a }]) => (a as Tensor).dims[0])).toEqual([1, 2, 2, 2, 2, 3])
})
