/** For tests: a model whose weights lie in two files beside it, in a folder that is deleted after the test. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { testModel } from './start-test-server.ts'

export function copyExternalModel(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-external-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of ['external.onnx', 'external-a.data', 'external-b.data']) {
    copyFileSync(join(dirname(testModel('external')), file), join(folder, file))
  }
  return join(folder, 'external.onnx')
}
