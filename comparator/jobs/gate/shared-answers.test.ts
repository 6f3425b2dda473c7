import { afterAll, beforeAll, expect, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { acceptObservations } from '../intake/accept-observations.ts'
import { SharedAnswers } from './shared-answers.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([{ ...regression, name: 'price' }])
})
afterAll(() => store?.close())

const price = () => store.comparator.validations.get('price')!
const oneMore = () =>
  acceptObservations(store.comparator, [
    observation({ validation: 'price', at: Date.now(), primary: { prediction: 1 }, candidate: { prediction: 2 } }),
  ])

test('an answer is computed once for equal questions about the same evidence', async () => {
  await oneMore()
  const answers = new SharedAnswers(store.comparator)
  let made = 0
  const ask = (question: unknown) => answers.of(price(), question, async () => ++made)
  // the database decides which of them comes first
  const [first, again, other] = await Promise.all([ask('a'), ask('a'), ask({ b: 1 })])
  expect(again).toBe(first)
  expect([first, other].sort()).toEqual([1, 2])
  expect(await ask('a')).toBe(first)
  await oneMore()
  expect([await ask('a'), await ask({ b: 1 })]).toEqual([3, 4])
})

test('an answer that failed is computed again', async () => {
  const answers = new SharedAnswers(store.comparator)
  const fails = () => answers.of(price(), 'a', () => Promise.reject(new Error('the database is away')))
  await expect(fails()).rejects.toThrow('away')
  expect(await answers.of(price(), 'a', async () => 'there')).toBe('there')
})

test('the least recently used answer is dropped', async () => {
  const answers = new SharedAnswers(store.comparator)
  let made = 0
  const ask = (question: number) => answers.of(price(), question, async () => ++made)
  for (let question = 0; question < 65; question++) {
    await ask(question)
    if (question === 40) await ask(0)
  }
  expect(await ask(0)).toBe(1)
  expect(await ask(1)).toBe(66)
})
