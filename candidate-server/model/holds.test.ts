import { expect, test } from 'vitest'
import { Holds } from './holds.ts'

test('whoever waits for a resource is told whether it is free, or was only waited for long enough', async () => {
  const holds = new Holds()
  expect(await holds.released(0)).toBe(true)
  const [first, second] = [holds.take(), holds.take()]
  const waiting = holds.released(60_000)
  first()
  first()
  expect(await holds.released(1)).toBe(false)
  second()
  expect([await waiting, await holds.released(0)]).toEqual([true, true])
})
