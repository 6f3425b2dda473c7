import { expect, test } from 'vitest'
import { isApproved } from './may-approve.ts'

test('as many different approvers as configured, the same one counts once', () => {
  const rule = { approvals: 2, requesterApproves: true }
  expect(isApproved(rule, 'ana', ['ana', 'ana'])).toBe(false)
  expect(isApproved(rule, 'ana', ['ana', 'ben'])).toBe(true)
})

test("where requester and approver are separate, the requester's own word does not count", () => {
  const rule = { approvals: 2, requesterApproves: false }
  expect(isApproved(rule, 'ana', ['ana', 'ben'])).toBe(false)
  expect(isApproved(rule, 'ana', ['ben', 'cleo'])).toBe(true)
})
