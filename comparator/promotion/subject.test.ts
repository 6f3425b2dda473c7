import { expect, test } from 'vitest'
import { changesOfSubject, changesSinceApproval, type Judged } from './subject.ts'

const subject = (windowId: number | null, window: Partial<Judged['window']> = {}): Judged => ({
  window: { primaryVersion: '1', candidateVersion: '1', policyDigest: 'p', ...window },
  inputs: { windowId },
})

test('one window is one subject, even after it has learnt a version or a digest', () => {
  const learnt = { candidateVersion: '2', candidateDigest: 'sha256:a' }
  expect(changesOfSubject(subject(1, { candidateVersion: null }), subject(1, learnt))).toEqual([])
  expect(changesOfSubject(subject(null), subject(null))).toEqual([])
  // evaluations from before windows were recorded
  const { window } = subject(null)
  expect(changesOfSubject({ window }, subject(null))).toEqual([])
  expect(changesOfSubject(subject(null), { window })).toEqual([])
})

test('changes between two windows name the models and the policy that differ', () => {
  const before = subject(1, { primaryDigest: 'sha256:a', candidateDigest: 'sha256:0123456789abcdef' })
  const now = { primaryDigest: 'sha256:b', candidateVersion: '2', candidateDigest: 'sha256:b', policyDigest: 'q' }
  expect(changesOfSubject(before, subject(2, now))).toEqual([
    "the primary's model file is now b (was a)",
    'the candidate is now version 2 (was 1)',
    'the policy changed',
  ])
  const unknown = subject(2, { candidateVersion: null, primaryDigest: 'sha256:a' })
  expect(changesOfSubject(before, unknown)).toEqual(['the candidate is now version unknown (was 1)'])
  expect(changesOfSubject(unknown, before)).toEqual(['the candidate is now version 1 (was unknown)'])
  const file = { primaryDigest: 'sha256:a', candidateDigest: 'sha256:fedcba9876543210' }
  expect(changesOfSubject(before, subject(2, file))).toEqual([
    "the candidate's model file is now fedcba9876 (was 0123456789)",
  ])
})

test('unknown models are no change; two windows with equal known models still differ', () => {
  const none = { primaryVersion: null, candidateVersion: null }
  expect(changesOfSubject(subject(1), subject(null, { ...none, policyDigest: 'q' }))).toEqual(['the policy changed'])
  expect(changesOfSubject(subject(null, none), subject(1))).toEqual(['the first evidence arrived'])
  const withDigest = { candidateDigest: 'sha256:a' }
  expect(changesOfSubject(subject(1, withDigest), subject(2))).toEqual(['a new window began'])
  expect(changesOfSubject(subject(1), subject(2, withDigest))).toEqual(['a new window began'])
})

test('an approval without evidence holds for any models, but for one policy', () => {
  const approved = subject(null, { primaryVersion: null, candidateVersion: null })
  expect(changesSinceApproval(approved, subject(1))).toEqual([])
  expect(changesSinceApproval({ window: approved.window }, subject(1))).toEqual([])
  expect(changesSinceApproval(approved, subject(1, { policyDigest: 'q' }))).toEqual(['the policy changed'])
  expect(changesSinceApproval(subject(1), subject(2, { candidateVersion: '2' }))).toEqual([
    'the candidate is now version 2 (was 1)',
  ])
})
