import { expect, test } from 'vitest'
import type { ClassAnswer } from './answer.ts'
import { keepScores, scoresKeptMax } from './keep-scores.ts'

function answer(labels: number, scoreOf: (i: number) => number, label: string): ClassAnswer {
  const scores = Array.from({ length: labels }, (_, i) => scoreOf(i))
  return { kind: 'class', label, scores, labels: scores.map((_, i) => `l${i}`) }
}

test('of a thousand labels, those with the highest scores on either side are kept on both, in order', () => {
  const primary = answer(1000, (i) => 1 / (1 + i), 'l0')
  const candidate = answer(1000, (i) => 1 / (1 + Math.abs(i - 500)), 'l500')
  const kept = keepScores({ primary, candidate })
  const [p, c] = [kept.primary as ClassAnswer, kept.candidate as ClassAnswer]
  expect(p.labels).toHaveLength(2 * scoresKeptMax)
  expect(p.labels!.slice(0, scoresKeptMax)).toEqual(primary.labels!.slice(0, scoresKeptMax))
  expect(c.labels).toEqual(p.labels)
  expect(c.labels).toContain('l500')
  for (const [i, label] of c.labels!.entries()) expect(c.scores![i]).toBe(candidate.scores![Number(label.slice(1))])
  expect([p.label, p.of, c.label, c.of]).toEqual(['l0', 1000, 'l500', 1000])
})

test('answers with few labels, or without scores, are kept as they are', () => {
  const few = answer(2 * scoresKeptMax, (i) => i, 'l39')
  const bare: ClassAnswer = { kind: 'class', label: 'x', scores: null, labels: null }
  const value = { kind: 'value' as const, value: Array.from({ length: 1000 }, (_, i) => i) }
  expect(keepScores({ primary: few, candidate: few })).toEqual({ primary: few, candidate: few })
  expect(keepScores({ primary: value, candidate: null })).toEqual({ primary: value, candidate: null })
  const { primary, candidate } = keepScores({ primary: answer(1000, (i) => i, 'l999'), candidate: bare })
  expect((primary as ClassAnswer).labels).toHaveLength(scoresKeptMax)
  expect(candidate).toBe(bare)
})
