import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadHere } from '../testing/load-here.ts'
import { testModel } from '../testing/start-test-server.ts'

function externalModel(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-external-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of ['external.onnx', 'external-a.data', 'external-b.data']) {
    copyFileSync(join(dirname(testModel('external')), file), join(folder, file))
  }
  return join(folder, 'external.onnx')
}

test('the memory of external weights is freed once the runtime has its own copy', async () => {
  const path = externalModel()
  truncateSync(join(dirname(path), 'external-a.data'), 64 * 2 ** 20)
  const before = process.memoryUsage().arrayBuffers
  const { model } = await loadHere(path)
  expect(model.warmUp.kind).toBe('done')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20)
})

test('external weights are found by a name that begins with ./', async () => {
  const path = externalModel()
  renameSync(join(dirname(path), 'external-a.data'), join(dirname(path), 'xternal-a.dat'))
  const named = readFileSync(path, 'latin1').replaceAll('external-a.data', './xternal-a.dat')
  writeFileSync(path, named, 'latin1')
  expect((await loadHere(path)).model.warmUp.kind).toBe('done')
})
