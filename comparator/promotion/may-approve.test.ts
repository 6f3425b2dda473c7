import { expect, test } from 'vitest'
import { isApproved, refusalOfOverride } from './may-approve.ts'

test('as many different approvers as configured are needed; the same one counts once', () => {
  const rule = { approvals: 2, requesterApproves: true }
  expect(isApproved(rule, 'ana', ['ana', 'ana'])).toBe(false)
  expect(isApproved(rule, 'ana', ['ana', 'ben'])).toBe(true)
})

test("the requester's approval does not count where requesterApproves is false", () => {
  const rule = { approvals: 2, requesterApproves: false }
  expect(isApproved(rule, 'ana', ['ana', 'ben'])).toBe(false)
  expect(isApproved(rule, 'ana', ['ben', 'cleo'])).toBe(true)
})

test('only an override must be approved as one', () => {
  const refusal = { code: 'GATE_NOT_PASSED', message: expect.stringContaining('overrides the gate') }
  expect(refusalOfOverride({ override: true }, { override: false })).toEqual(refusal)
  expect(refusalOfOverride({ override: true }, { override: true })).toBeUndefined()
  expect(refusalOfOverride({ override: false }, { override: false })).toBeUndefined()
})
