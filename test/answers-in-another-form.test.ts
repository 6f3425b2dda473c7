import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification, observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'

const labels = ['cat', 'dog']
const output = { kind: 'classification', scores: '/predictions', labels }
const validation = (name: string, more = {}) => ({ ...classification, name, output, ...more })

const listed = (cat: number) => ({
  predictions: [
    { label: 'dog', score: 1 - cat },
    { label: 'cat', score: cat },
  ],
})
const byPosition = (cat: number) => ({ predictions: [cat, 1 - cat], label: cat > 0.5 ? 'cat' : 'dog' })
const failed = { kind: 'answered', status: 500, totalMs: 9, body: '{}' }

let comparator: TestComparator
beforeAll(async () => {
  comparator = await startTestComparator([
    validation('alike'),
    validation('other'),
    validation('failing'),
    validation('single'),
    validation('unstored', { store: { bodies: 'none' } }),
    validation('split', { output: { ...output, candidate: { scores: '/scores' } } }),
  ])
})
afterAll(() => comparator.close())

const differenceOf = async (name: string) =>
  (await comparator.call('GET', `/v1/validations/${name}`, { token: tokens.viewer })).body.differenceToClients

async function deliver(validation: string, candidateOf: (cat: number) => unknown, cats = [0.1, 0.4, 0.9]) {
  const bundle = cats.map((cat) =>
    observation({ at: Date.now(), validation, primary: listed(cat), candidate: candidateOf(cat) }),
  )
  expect(await comparator.post(bundle)).toEqual({ accepted: cats.length, duplicates: 0, rejected: [] })
}

test('one mapping reads two forms of answers: whoever promotes is told that clients would get another', async () => {
  expect(await differenceOf('other')).toBeNull()
  await deliver('other', byPosition)
  expect(await differenceOf('other')).toBe(
    'Clients would get the candidate’s answers unchanged, in a different form from the primary’s: ' +
      'a number at /predictions/*, where the primary has an object.',
  )
})

test('answers of one form, a single pair, failures, and bodies that are not kept say nothing', async () => {
  await deliver('alike', listed)
  await deliver('failing', () => failed)
  await deliver('unstored', byPosition)
  await deliver('single', byPosition, [0.9])
  for (const name of ['alike', 'failing', 'unstored', 'single']) expect(await differenceOf(name), name).toBeNull()
})

test('what the policy says of both sides comes first', async () => {
  await deliver('split', (cat) => ({ scores: [cat, 1 - cat] }))
  expect(await differenceOf('split')).toMatch(/: scores at \/scores, where the primary has it at \/predictions\.$/)
})
