import { describe, expect, test } from 'vitest'
import { cpuMsOf } from '../../../../test/support/cpu-time.ts'
import { type WordRun, wordDiff } from './word-diff.ts'

const sideOf = (runs: WordRun[], side: 'primary' | 'candidate') =>
  runs
    .filter(({ kind }) => kind === 'same' || kind === side)
    .map(({ text }) => text)
    .join('')

describe('two texts word by word', () => {
  test('show the words of each side alone', () => {
    expect(wordDiff('The cat sat on the mat.', 'The dog sat on a mat.')).toEqual([
      { kind: 'same', text: 'The ' },
      { kind: 'primary', text: 'cat' },
      { kind: 'candidate', text: 'dog' },
      { kind: 'same', text: ' sat on ' },
      { kind: 'primary', text: 'the' },
      { kind: 'candidate', text: 'a' },
      { kind: 'same', text: ' mat.' },
    ])
  })
  test('count white space between two changes as changed, so that they stay one', () => {
    expect(wordDiff('quick brown fox', 'slow red fox')).toEqual([
      { kind: 'primary', text: 'quick brown' },
      { kind: 'candidate', text: 'slow red' },
      { kind: 'same', text: ' fox' },
    ])
  })
  test('have words in languages without spaces between them', () => {
    expect(wordDiff('私は猫が好きです', '私は犬が好きです').filter(({ kind }) => kind !== 'same')).toEqual([
      { kind: 'primary', text: '猫' },
      { kind: 'candidate', text: '犬' },
    ])
  })
  test('do not differ if they are equal, and differ entirely if one is empty', () => {
    expect(wordDiff('same', 'same')).toEqual([{ kind: 'same', text: 'same' }])
    expect(wordDiff('', '')).toEqual([])
    expect(wordDiff('', 'new')).toEqual([{ kind: 'candidate', text: 'new' }])
    expect(wordDiff('old', '')).toEqual([{ kind: 'primary', text: 'old' }])
  })
})

test('each side can be read back from the runs, whatever the texts', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const text = () =>
    Array.from({ length: random(30) }, () => ['a', 'b', ' ', 'cd', '\n', '…', '\u202e'][random(7)]).join('')
  for (let i = 0; i < 500; i++) {
    const [primary, candidate] = [text(), text()]
    const runs = wordDiff(primary, candidate)
    expect(sideOf(runs, 'primary')).toBe(primary)
    expect(sideOf(runs, 'candidate')).toBe(candidate)
  }
})

test('the script is the shortest: five changes in the example of Myers 1986', () => {
  const runs = wordDiff('!?;!??!', ';?!?!;')
  const changed = runs.filter(({ kind }) => kind !== 'same').reduce((sum, { text }) => sum + text.length, 0)
  expect(changed).toBe(5)
})

test('two long texts without a common word quickly end as one change each', () => {
  const words = (word: string) => Array.from({ length: 4000 }, (_, i) => `${word}${i}`).join('-')
  let runs: ReturnType<typeof wordDiff> = []
  expect(cpuMsOf(() => (runs = wordDiff(words('x'), words('y'))))).toBeLessThan(2000)
  expect(sideOf(runs, 'primary')).toBe(words('x'))
  expect(sideOf(runs, 'candidate')).toBe(words('y'))
})
