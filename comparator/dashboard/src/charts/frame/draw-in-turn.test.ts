import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { drawInTurn } from './draw-in-turn.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

test('charts are drawn one per task, in order, except cancelled ones', () => {
  const drawn: string[] = []
  const draw = (name: string) => drawInTurn(() => drawn.push(name))
  draw('a')
  const giveUp = draw('b')
  draw('c')
  giveUp()
  expect(drawn).toEqual([])
  vi.advanceTimersToNextTimer()
  expect(drawn).toEqual(['a'])
  vi.runAllTimers()
  expect(drawn).toEqual(['a', 'c'])
  draw('d')
  vi.runAllTimers()
  expect(drawn).toEqual(['a', 'c', 'd'])
})

test('a chart that fails does not hold up the others', () => {
  const drawn = vi.fn()
  drawInTurn(() => {
    throw new Error('no scale')
  })
  drawInTurn(drawn)
  expect(() => vi.advanceTimersToNextTimer()).toThrow('no scale')
  vi.runAllTimers()
  expect(drawn).toHaveBeenCalledOnce()
})
