import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { copyExternalModel } from '../testing/external-model.ts'
import { loadHere } from '../testing/load-here.ts'

test('the memory of external weights is freed once the runtime has its own copy', async () => {
  const path = copyExternalModel()
  truncateSync(join(dirname(path), 'external-a.data'), 64 * 2 ** 20)
  const before = process.memoryUsage().arrayBuffers
  const { model } = await loadHere(path)
  expect(model.warmUp.kind).toBe('done')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20)
})

test('external weights are found by a name that begins with ./', async () => {
  const path = copyExternalModel()
  renameSync(join(dirname(path), 'external-a.data'), join(dirname(path), 'xternal-a.dat'))
  const named = readFileSync(path, 'latin1').replaceAll('external-a.data', './xternal-a.dat')
  writeFileSync(path, named, 'latin1')
  expect((await loadHere(path)).model.warmUp.kind).toBe('done')
})
