import { describe, expect, onTestFinished, test } from 'vitest'
import { call, demoModel, startTestServer, testModel } from '../testing/start-test-server.ts'

const digits = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']

describe('labels', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      'more than there are scores',
      { path: demoModel('digits-student'), labels: [...digits, '10'] },
      /11 labels and no output with 11 scores in its last dimension, but \S+ of \[any, 10\]/,
    ],
    [
      'for scores that only the warm-up tells',
      { path: testModel('hidden-scores'), labels: ['a', 'b', 'c'] },
      /3 labels and no output with 3 scores in its last dimension, but scores of \[1, 2\]/,
    ],
  ])('%s are refused at the start', async (_, model, message) => {
    await expect(startTestServer({ models: [{ name: 'm', ...model }] })).rejects.toThrow(message)
  })

  test('that fit scores known only from the warm-up are accepted', async () => {
    const one = await startTestServer({ models: [{ name: 'm', path: testModel('hidden-scores'), labels: ['a', 'b'] }] })
    onTestFinished(() => one.stop())
    expect((await call(`${one.url}/predictions/m`, [1, 3])).body).toEqual({ predictions: [1, 3], label: 'b' })
  })
})
