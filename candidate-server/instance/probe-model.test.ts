import { InferenceSession } from 'onnxruntime-node'
import { expect, test } from 'vitest'
import type { ModelInfo, TensorInfo } from '../model/model-info.ts'
import { testModel } from '../testing/start-test-server.ts'
import { probeModel } from './probe-model.ts'

const row = (name: string, size = 2): TensorInfo => ({ name, type: 'float32', shape: [-1, size] })
const dynamic = (inputs: TensorInfo[], outputs: TensorInfo[]): ModelInfo => ({
  inputs,
  outputs,
  batch: { kind: 'dynamic' },
})
const probe = async (model: string, info: ModelInfo) =>
  probeModel(await InferenceSession.create(testModel(model)), info)

test.each(['softmax-of-rows', 'share-of-most', 'branch-by-most', 'branch-by-least'])(
  'rows of %s that answer otherwise beside others do not share batches',
  async (model) => {
    expect(await probe(model, dynamic([row('x')], [row('y')]))).toMatchObject({ mixesRows: true })
  },
)

test('where two dimensions of an output are the rows there are no batches', async () => {
  const info = dynamic([row('a'), row('b')], [row('scores', -1)])
  expect(await probe('all-pairs', info)).toMatchObject({ batch: { kind: 'none' } })
})

test('pixels that are divided by the brightest of all rows do not share them', async () => {
  const image: TensorInfo = { name: 'x', type: 'uint8', shape: [-1, 2] }
  expect(await probe('share-of-brightest', dynamic([image], [row('y')]))).toMatchObject({ mixesRows: true })
})

test('rows tell on those after them', async () => {
  expect(await probe('sum-so-far', dynamic([row('x')], [row('y')]))).toMatchObject({ mixesRows: true })
})

test('where the smallest sizes are refused larger ones are tried', async () => {
  const image: TensorInfo = { name: 'x', type: 'float32', shape: [-1, 1, -1, -1] }
  const probed = await probe('softmax-of-images', dynamic([image], [row('y')]))
  expect(probed).toEqual({ batch: { kind: 'dynamic' }, mixesRows: true, shapes: { y: [1, 2] }, size: 32 })
})

test('what takes none of them has refused the smallest', async () => {
  const image: TensorInfo = { name: 'x', type: 'float32', shape: [-1, -1, -1, -1] }
  await expect(probe('softmax-of-images', dynamic([image], [row('y')]))).rejects.toThrow(/Conv/)
})

test('rows that do not know of each other share them', async () => {
  const info = dynamic([row('a'), row('b')], [row('total')])
  expect(await probe('sum', info)).toEqual({
    batch: { kind: 'dynamic' },
    mixesRows: false,
    shapes: { total: [1, 2] },
    size: 1,
  })
})
