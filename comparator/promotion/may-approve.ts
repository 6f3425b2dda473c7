import type { Refusal } from './may-promote.ts'

/** How many people must approve, and whether the requester counts as one of them. */
interface ApprovalRule {
  approvals: number
  requesterApproves: boolean
}

/** Whether enough different people approved. */
export function isApproved(rule: ApprovalRule, requestedBy: string, approvers: readonly string[]): boolean {
  return countedApprovers(rule, requestedBy, approvers).length >= rule.approvals
}

export function countedApprovers(rule: ApprovalRule, requestedBy: string, approvers: readonly string[]): string[] {
  return [...new Set(approvers)].filter((approver) => rule.requesterApproves || approver !== requestedBy)
}

/**
 * Everyone who signs an override must say that they know. Only the requester needs the role admin: where two people
 * decide, because requester and approver must differ, the second need not be an admin.
 */
export function refusalOfOverride(asked: { override: boolean }, said: { override: boolean }): Refusal | undefined {
  if (!asked.override || said.override) return undefined
  return {
    code: 'GATE_NOT_PASSED',
    message: 'this promotion overrides the gate; to approve it, send "override": true',
  }
}
