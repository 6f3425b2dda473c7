import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn } from '../../runtime/config/semantics.ts'
import { type Role, roleAllows, roles } from '../../vocabulary/role.ts'

const approving = roles.filter((role) => roleAllows(role, 'approver'))

/**
 * Problems of a validation that needs more approvals than there are tokens that may approve. Nothing is checked where
 * approvers may sign in by OpenID Connect, since they cannot be counted. Where one person may both request and approve,
 * there need be none: such a validation can be watched without ever being promoted.
 */
export function approvalProblems(
  { approvals, requesterApproves }: Loose,
  path: string,
  section: Loose,
): ConfigProblem[] {
  if (!isWhole(approvals) || mayComeByOidc(section)) return []
  const count = objectsIn(section.tokens, '').filter(({ item }) => approving.includes(item.role as Role)).length
  const enough = Math.max(1, count)
  const isApart = requesterApproves === false
  if (approvals + (isApart ? 1 : 0) <= enough) return []
  const withRole = `tokens with the role ${approving.join(' or ')}`
  const there = `there ${count === 1 ? 'is' : 'are'} ${count}`
  return approvals <= enough
    ? [
        {
          path: `${path}.requesterApproves`,
          value: requesterApproves,
          expected: `true, or one more of the ${withRole}, for the requester: ${there}`,
        },
      ]
    : [
        {
          path: `${path}.approvals`,
          value: approvals,
          expected: `as many ${withRole}${isApart ? ', and one for the requester' : ''}: ${there}`,
        },
      ]
}

/** Anything else is a problem that the schema reports. */
const isWhole = (value: unknown): value is number => Number.isInteger(value)

function mayComeByOidc({ oidc }: Loose): boolean {
  const mapping = (oidc as Loose | undefined)?.roles
  return mapping !== null && typeof mapping === 'object' && approving.some((role) => Object.hasOwn(mapping, role))
}
