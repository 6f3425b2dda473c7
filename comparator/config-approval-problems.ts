import type { ConfigProblem } from '../runtime/config/problem.ts'
import { type Loose, objectsIn } from '../runtime/config/semantics.ts'
import { type Role, roleAllows, roles } from '../vocabulary/role.ts'

const approving = roles.filter((role) => roleAllows(role, 'approver'))

/**
 * Of a validation that asks for more people than have a token to approve with. Who comes by OpenID Connect can't be
 * counted. Where nobody may approve, and one would do, the validation is one to watch.
 */
export function approvalProblems(
  { approvals, requesterApproves }: Loose,
  path: string,
  section: Loose,
): ConfigProblem[] {
  if (typeof approvals !== 'number' || mayComeByOidc(section)) return []
  const count = objectsIn(section.tokens, '').filter(({ item }) => approving.includes(item.role as Role)).length
  const needed = requesterApproves === false ? approvals + 1 : approvals
  if (needed <= Math.max(1, count)) return []
  const ofRequester = requesterApproves === false ? ', and one for who asks' : ''
  const expected = `as many tokens with the role ${approving.join(' or ')}${ofRequester}: there ${count === 1 ? 'is' : 'are'} ${count}`
  return [{ path: `${path}.approvals`, value: approvals, expected }]
}

function mayComeByOidc({ oidc }: Loose): boolean {
  const mapping = (oidc as Loose | undefined)?.roles
  return mapping !== null && typeof mapping === 'object' && approving.some((role) => Object.hasOwn(mapping, role))
}
