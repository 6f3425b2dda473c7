import { expect, test } from 'vitest'
import { waitFor } from './wait-for.ts'

test('gives the first value of which the condition holds', async () => {
  let count = 0
  expect(
    await waitFor(
      'three',
      () => ++count,
      (value) => value === 3,
    ),
  ).toBe(3)
  expect(await waitFor('a truthy value', () => count++ > 4)).toBe(true)
})

test('nothing holds of null or undefined', async () => {
  const values = [null, undefined, 0]
  expect(
    await waitFor(
      'a value',
      () => values.shift(),
      () => true,
    ),
  ).toBe(0)
})

test('after the deadline, says what it waited for and what it saw last', async () => {
  const waiting = waitFor(
    'the end',
    () => ({ state: 'rollingOut' }),
    ({ state }) => state === 'promoted',
    0,
  )
  await expect(waiting).rejects.toThrow("still waiting for the end; last seen: { state: 'rollingOut' }")
})
