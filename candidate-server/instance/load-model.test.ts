import { copyFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testModel } from '../start-test-server.ts'
import { loadModel } from './load-model.ts'

test('the memory for weights beside the model is free once the runtime has its own copy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-external-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of ['external.onnx', 'external-a.data', 'external-b.data']) {
    copyFileSync(join(dirname(testModel('external')), file), join(folder, file))
  }
  truncateSync(join(folder, 'external-a.data'), 64 * 2 ** 20)
  const session = {
    graphOptimization: 'all',
    memoryArena: true,
    memoryPattern: true,
    amx: true,
    spaceToDepth: true,
    extra: {},
  } as const
  const warmUp = { rows: 1, length: 1 }
  const path = join(folder, 'external.onnx')
  const before = process.memoryUsage().arrayBuffers
  const { model } = await loadModel({ path, threads: 1, spinning: 'never', session, warmUp, exchange: false })
  expect(model.warmUp.kind).toBe('done')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20)
})
