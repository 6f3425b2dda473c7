import { describe, expect, test } from 'vitest'
import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { approvalsOf, type OfferInput, offerOf } from './offer-of.ts'

const promotion: PromotionView = {
  id: 'p',
  validation: 'digits',
  gateId: 'g',
  state: 'requested',
  override: false,
  requestedBy: 'bruno',
  requestedAt: '2026-11-21T08:00:00.000Z',
  comment: 'ready',
  approvals: [{ by: 'bruno', at: '2026-11-21T08:00:00.000Z', comment: 'ready' }],
  approvalsNeeded: 2,
  step: null,
  livePercent: 0,
  nextStepAt: null,
}
const ready: OfferInput = {
  validation: { state: 'observing', promotion: null, policy: {} },
  verdict: 'pass',
  gateId: 'g',
  way: 'Wait.',
  stale: false,
  reader: { name: 'ana', role: 'approver' },
}

describe('a promotion may be requested', () => {
  test('by an approver or an admin, on a gate that passes', () => {
    expect(offerOf(ready)).toEqual({ kind: 'request', blocked: null, override: false })
    expect(offerOf({ ...ready, reader: { name: 'root', role: 'admin' } })).toEqual({
      kind: 'request',
      blocked: null,
      override: false,
    })
  })
  test('again after one that ended', () => {
    for (const state of ['rolledBack', 'rejected'] as const) {
      const ended = { state, promotion: { ...promotion, state }, policy: {} }
      expect(offerOf({ ...ready, validation: ended })).toEqual({ kind: 'request', blocked: null, override: false })
    }
  })
  test('by nobody else and on nothing else, and each refusal says why', () => {
    const blocked = (change: Partial<OfferInput>) => offerOf({ ...ready, ...change })
    expect(blocked({ reader: { name: 'v', role: 'viewer' } })).toMatchObject({
      blocked: 'The gate passes. Only an approver can request promotion; your role is viewer.',
    })
    // what the gate lacks concerns them too
    expect(blocked({ verdict: 'fail', reader: { name: 'o', role: 'operator' } })).toMatchObject({
      blocked: expect.stringMatching(/fail.* Wait\. Only an approver can .*; your role is operator\.$/),
    })
    expect(blocked({ verdict: 'fail' })).toMatchObject({ blocked: expect.stringMatching(/fail.* Wait\.$/) })
    expect(blocked({ verdict: 'inconclusive' })).toMatchObject({ blocked: expect.stringMatching(/inconclusive/) })
    expect(blocked({ stale: true })).toMatchObject({ blocked: expect.stringMatching(/could not be refreshed/) })
    expect(blocked({ gateId: null })).toMatchObject({ blocked: expect.stringMatching(/not been judged/) })
  })
})

describe('a requested promotion', () => {
  const pending = { ...ready, validation: { state: 'observing' as const, promotion, policy: {} } }
  test('for models other than the current ones is closed, and approved by nobody', () => {
    const old = { ...promotion, outdated: 'the candidate is now version 2 (was 1)' }
    expect(offerOf({ ...pending, validation: { ...pending.validation, promotion: old } })).toMatchObject({
      approveBlocked: expect.stringContaining(
        'Since the request, the candidate is now version 2 (was 1). Close it and request',
      ),
      rejectBlocked: null,
    })
  })
  test('is approved by someone else', () => {
    expect(offerOf(pending)).toMatchObject({ kind: 'decide', approveBlocked: null, rejectBlocked: null })
  })
  test('is not approved twice by the same person, who may still reject it', () => {
    const own = offerOf({ ...pending, reader: { name: 'bruno', role: 'approver' } })
    expect(own).toMatchObject({
      kind: 'decide',
      approveBlocked: 'You have approved; 1 more approval from someone else is needed.',
      rejectBlocked: null,
    })
    const many = { ...promotion, approvals: [{ ...promotion.approvals[0]!, by: 'cleo' }, ...promotion.approvals] }
    const third = { ...pending.validation, promotion: { ...many, approvalsNeeded: 4 } }
    expect(offerOf({ ...pending, validation: third, reader: { name: 'bruno', role: 'approver' } })).toMatchObject({
      approveBlocked: 'You have approved; 2 more approvals from someone else are needed.',
    })
  })
  test('is not approved by the requester if others must, however few there are', () => {
    const others = { state: 'observing' as const, policy: { requesterApproves: false } }
    const asked = { ...promotion, approvals: [], approvalsNeeded: 1 }
    const own = offerOf({
      ...ready,
      validation: { ...others, promotion: asked },
      reader: { name: 'bruno', role: 'admin' },
    })
    expect(own).toMatchObject({ approveBlocked: expect.stringMatching(/You requested.*; someone else/) })
    expect(offerOf({ ...ready, validation: { ...others, promotion: asked } })).toMatchObject({ approveBlocked: null })
    expect(approvalsOf(promotion, false)).toEqual({ given: [], missing: 2 })
    expect(approvalsOf(promotion, true)).toMatchObject({ missing: 1 })
  })
  test('is neither approved nor rejected by a viewer, and approved by nobody on figures that are not current', () => {
    const reader = { name: 'v', role: 'viewer' } as const
    const theirs = 'Only an approver can approve or reject it; your role is viewer.'
    expect(offerOf({ ...pending, reader, stale: true })).toMatchObject({
      approveBlocked: theirs,
      rejectBlocked: theirs,
    })
    const override = { ...pending.validation, promotion: { ...promotion, override: true } }
    expect(offerOf({ ...pending, validation: override, stale: true })).toMatchObject({
      approveBlocked: expect.stringContaining('could not be refreshed'),
      rejectBlocked: null,
    })
  })
  test('waits while the gate does not pass, unless it is an override', () => {
    expect(offerOf({ ...pending, verdict: 'fail' })).toMatchObject({ approveBlocked: expect.stringMatching(/fail/) })
    const override = { state: 'observing' as const, promotion: { ...promotion, override: true }, policy: {} }
    expect(offerOf({ ...pending, validation: override, verdict: 'fail' })).toMatchObject({ approveBlocked: null })
  })
})

test('a rollout can be rolled back even if the figures cannot be refreshed or the gate fails', () => {
  const live = { state: 'rollingOut' as const, promotion: { ...promotion, state: 'rollingOut' as const }, policy: {} }
  expect(offerOf({ ...ready, validation: live, stale: true, verdict: 'fail' })).toMatchObject({
    kind: 'rollingOut',
    blocked: null,
  })
  expect(offerOf({ ...ready, validation: live, reader: { name: 'v', role: 'viewer' } })).toMatchObject({
    blocked: expect.stringMatching(/role is viewer/),
  })
})

test('signing against the gate is offered only to admins, and only if the gate does not pass', () => {
  const overrideOf = (change: Partial<OfferInput>) => {
    const offer = offerOf({ ...ready, reader: { name: 'root', role: 'admin' }, ...change })
    return offer.kind === 'request' && offer.override
  }
  expect(overrideOf({ verdict: 'fail' })).toBe(true)
  expect(overrideOf({ verdict: 'inconclusive' })).toBe(true)
  expect(overrideOf({})).toBe(false)
  expect(overrideOf({ verdict: 'fail', stale: true })).toBe(false)
  expect(overrideOf({ verdict: 'fail', gateId: null })).toBe(false)
  expect(overrideOf({ verdict: 'fail', reader: { name: 'ana', role: 'approver' } })).toBe(false)
})
