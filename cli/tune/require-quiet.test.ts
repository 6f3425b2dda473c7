import { expect, test } from 'vitest'
import { requireQuiet } from './require-quiet.ts'

test('measuring on a busy machine is refused, unless it was asked for all the same', async () => {
  expect(await requireQuiet(async () => 0.05, false)).toBeUndefined()
  expect(await requireQuiet(async () => undefined, false)).toBeUndefined()
  expect(await requireQuiet(async () => 0.2, false)).toContain('20 % busy')
  await expect(requireQuiet(async () => 0.9, false)).rejects.toThrow('--even-if-busy')
  const looks = [0.9, 0.02]
  expect(await requireQuiet(async () => looks.shift(), false)).toBeUndefined()
  // with `evenIfBusy` there is no need for a second look
  const once = [0.9]
  expect(await requireQuiet(async () => once.shift(), true)).toContain('90 % busy')
})
