import { expect, test } from 'vitest'
import type { ModelFile } from '../model-file/model-file.ts'
import { loadErrorOf } from './load-error.ts'

test.each([
  ['the locale xx_XX.UTF-8', 'Failed to construct locale with name:xx_XX.UTF-8: no such locale'],
  ['the weights table', "Initializer 'table' declares a size of 3000000000 bytes which exceeds the limit"],
  ['the operator com.acme:Stem', 'Fatal error: com.acme:Stem(-1) is not a registered function/op'],
  ['uses bfloat16', 'NOT_IMPLEMENTED : Could not find an implementation for Add(14)'],
])('of a model with bfloat16 in it, the cause that the runtime names is told: %s', (cause, message) => {
  const file = { usesBfloat16: true, opset: 17 } as ModelFile
  expect(loadErrorOf('m.onnx', file, message).problem).toEqual({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringContaining(cause),
  })
})
