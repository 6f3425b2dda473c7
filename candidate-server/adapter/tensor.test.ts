import { describe, expect, test } from 'vitest'
import type { BatchDimension } from '../tensor/model-info.ts'
import type { AdapterModel, AdapterRequest } from './adapter.ts'
import { tensorsOfJson } from './tensor.ts'

const dynamic: BatchDimension = { kind: 'dynamic' }

/** Shape of the input p, read from nested arrays beside another input. */
function shapeOf(p: unknown, shape: number[], batch: BatchDimension): number[] {
  const rows = batch.kind === 'fixed' ? batch.size : -1
  const inputs = [
    { name: 'p', type: 'int64', shape },
    { name: 'q', type: 'int64', shape: [rows] },
  ]
  const value = { p, q: 1 }
  const request = { body: Buffer.from(JSON.stringify(value)), json: () => value } as unknown as AdapterRequest
  return tensorsOfJson(request, { inputs, outputs: [], batch } as unknown as AdapterModel).p!.shape
}

describe('an empty array', () => {
  const none = [[], []]

  test.each<[unknown, number[], BatchDimension, number[]]>([
    [none, [-1, 2, -1, 4], dynamic, [1, 2, 0, 4]],
    [none, [2, 2, -1, 4], { kind: 'fixed', size: 2 }, [1, 2, 0, 4]],
    [[none, none], [2, 2, -1, 4], { kind: 'fixed', size: 2 }, [2, 2, 0, 4]],
  ])('%j of %j takes the model’s shape: %j', (p, shape, batch, expected) => {
    expect(shapeOf(p, shape, batch)).toEqual(expected)
  })

  test.each([
    [[], [-1, 3, 8, 8], 'expected an array of shape [3, 8, 8], got [0]'],
    [[[], [], []], [-1, 3, 8], 'got [3, 0]'],
  ])('%j of %j is undefined if that does not fit', (p, shape, expected) => {
    expect(() => shapeOf(p, shape, dynamic)).toThrow(expected)
  })
})

test('if requests run alone, an array may include its first dimension, such as time', () => {
  const shapeIn = (value: unknown, runsAlone: boolean, type = 'float32') => {
    const inputs = [{ name: 'steps', type, shape: [-1, 1, 3] }]
    const request = { body: Buffer.from(JSON.stringify(value)), json: () => value } as unknown as AdapterRequest
    const model = { inputs, outputs: [], batch: dynamic, runsAlone } as unknown as AdapterModel
    return tensorsOfJson(request, model).steps!.shape
  }
  const [one, two] = [[[1, 2, 3]], [[[1, 2, 3]], [[4, 5, 6]]]]
  for (const type of ['float32', 'int32']) {
    expect(shapeIn(one, true, type)).toEqual([1, 1, 3])
    expect(shapeIn(two, true, type)).toEqual([2, 1, 3])
    expect(shapeIn(one, false, type)).toEqual([1, 1, 3])
    expect(() => shapeIn(two, false, type)).toThrow('got [2, 1, 3]; leave the batch dimension out')
  }
  expect(() => shapeIn([1], true)).toThrow('steps: expected an array of shape [1, 3] or [any, 1, 3], got [1]')
})

describe('a column of [rows, 1]', () => {
  const age = { name: 'age', type: 'float32', shape: [-1, 1] }
  const sex = { name: 'sex', type: 'string', shape: [-1, 1] }
  const tensorsOf = (value: unknown, inputs: object[]) => {
    const request = { body: Buffer.from(JSON.stringify(value)), json: () => value } as unknown as AdapterRequest
    return tensorsOfJson(request, { inputs, outputs: [], batch: dynamic } as unknown as AdapterModel)
  }

  test('takes its value without brackets, as app servers do', () => {
    const bare = tensorsOf({ age: 22, sex: 'male' }, [age, sex])
    expect(bare).toEqual(tensorsOf({ age: [22], sex: ['male'] }, [age, sex]))
    expect(bare.sex).toEqual({ type: 'string', shape: [1, 1], data: ['male'] })
    expect(tensorsOf(22, [age])).toEqual(tensorsOf([22], [age]))
  })

  test('a wider or open one does not', () => {
    for (const width of [2, -1]) {
      expect(() => tensorsOf(22, [{ ...age, shape: [-1, width] }])).toThrow('got one value')
    }
  })
})
