import type { Refusal } from './may-promote.ts'

/** How many must agree, and whether the one who asked is one of them. */
interface ApprovalRule {
  approvals: number
  requesterApproves: boolean
}

/** Whether enough different people agreed. The requester's own word counts only where the config lets it. */
export function isApproved(rule: ApprovalRule, requestedBy: string, approvers: readonly string[]): boolean {
  return countedApprovers(rule, requestedBy, approvers).length >= rule.approvals
}

export function countedApprovers(rule: ApprovalRule, requestedBy: string, approvers: readonly string[]): string[] {
  return [...new Set(approvers)].filter((approver) => rule.requesterApproves || approver !== requestedBy)
}

/**
 * An override is signed knowingly by all who sign it. The role admin is for who asks: of two people who decide, as
 * where requester and approver are separate, the second need not be another admin.
 */
export function refusalOfOverride(asked: { override: boolean }, said: { override: boolean }): Refusal | undefined {
  if (!asked.override || said.override) return undefined
  return {
    code: 'GATE_NOT_PASSED',
    message: 'this promotion sets the gate aside; who approves that says so, by "override": true',
  }
}
