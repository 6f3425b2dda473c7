/** How many must agree, and whether the one who asked is one of them. */
export interface ApprovalRule {
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
