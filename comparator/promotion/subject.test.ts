import { expect, test } from 'vitest'
import { changesOfSubject, changesSinceApproval, type Judged } from './subject.ts'

const subject = (windowId: number | null, window: Partial<Judged['window']> = {}): Judged => ({
  window: { primaryVersion: '1', candidateVersion: '1', policyDigest: 'p', ...window },
  inputs: { windowId },
})

test('one window is one subject, also once it has learnt a version or a digest', () => {
  const learnt = { candidateVersion: '2', candidateDigest: 'sha256:a' }
  expect(changesOfSubject(subject(1, { candidateVersion: null }), subject(1, learnt))).toEqual([])
  expect(changesOfSubject(subject(null), subject(null))).toEqual([])
})

test('another window says what of models and policy is another', () => {
  const before = subject(1, { primaryDigest: 'sha256:a', candidateDigest: 'sha256:0123456789abcdef' })
  const now = { primaryDigest: 'sha256:b', candidateVersion: '2', candidateDigest: 'sha256:b', policyDigest: 'q' }
  expect(changesOfSubject(before, subject(2, now))).toEqual([
    "the primary's model file changed: it is b, was a",
    'the candidate is version 2, was 1',
    'the policy changed',
  ])
  const file = { primaryDigest: 'sha256:a', candidateDigest: 'sha256:fedcba9876543210' }
  expect(changesOfSubject(before, subject(2, file))).toEqual([
    "the candidate's model file changed: it is fedcba9876, was 0123456789",
  ])
})

test('without evidence no model is another one; windows alike in what is known are still two', () => {
  const none = { primaryVersion: null, candidateVersion: null }
  expect(changesOfSubject(subject(1), subject(null, { ...none, policyDigest: 'q' }))).toEqual(['the policy changed'])
  expect(changesOfSubject(subject(null, none), subject(1))).toEqual(['the first evidence came'])
  expect(changesOfSubject(subject(1, { candidateDigest: 'sha256:a' }), subject(2))).toEqual(['the evidence began anew'])
})

test('what was approved without evidence was approved for any models, and under one policy', () => {
  const approved = subject(null, { primaryVersion: null, candidateVersion: null })
  expect(changesSinceApproval(approved, subject(1))).toEqual([])
  expect(changesSinceApproval(approved, subject(1, { policyDigest: 'q' }))).toEqual(['the policy changed'])
  expect(changesSinceApproval(subject(1), subject(2, { candidateVersion: '2' }))).toEqual([
    'the candidate is version 2, was 1',
  ])
})
