import { expect, test, vi } from 'vitest'
import { drawInTurn } from './draw-in-turn.ts'

test('charts are drawn one per task, in order, except cancelled ones', async () => {
  const drawn: string[] = []
  const draw = (name: string) => drawInTurn(() => drawn.push(name))
  draw('a')
  const giveUp = draw('b')
  draw('c')
  giveUp()
  expect(drawn).toEqual([])
  await new Promise((resolve) => setTimeout(resolve))
  expect(drawn).toEqual(['a'])
  await vi.waitFor(() => expect(drawn).toEqual(['a', 'c']))
  draw('d')
  await vi.waitFor(() => expect(drawn).toEqual(['a', 'c', 'd']))
})

test('a chart that fails does not hold up the others', async () => {
  vi.useFakeTimers()
  const drawn = vi.fn()
  drawInTurn(() => {
    throw new Error('no scale')
  })
  drawInTurn(drawn)
  expect(() => vi.advanceTimersToNextTimer()).toThrow('no scale')
  vi.runAllTimers()
  expect(drawn).toHaveBeenCalledOnce()
  vi.useRealTimers()
})
