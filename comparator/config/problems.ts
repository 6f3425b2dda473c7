import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated } from '../../runtime/config/semantics.ts'
import { approvalProblems } from './approval-problems.ts'
import { gateProblems } from './gate-problems.ts'
import { redactProblems } from './redact-problems.ts'
import { sliceProblems } from './slice-problems.ts'

/** Problems that the schema of `comparator:` cannot express, such as repeated names or a metric of another kind. */
export function comparatorProblems(value: unknown, path: string): ConfigProblem[] {
  const section = (value ?? {}) as Loose
  const { tokens, validations, webhooks, oidc } = section
  const tokenItems = objectsIn(tokens, `${path}.tokens`)
  const validationItems = objectsIn(validations, `${path}.validations`)
  const allValidations = validationItems.map(({ item }) => item)
  return [
    ...repeated(tokenItems, 'name', 'a name that no other token has'),
    ...repeated(tokenItems, 'sha256', 'a digest that no other token has: one token has one role'),
    ...repeated(objectsIn(webhooks, `${path}.webhooks`), 'url', 'a URL that no other webhook has'),
    ...oidcProblems(oidc as Loose | undefined, `${path}.oidc`),
    ...repeated(validationItems, 'name', 'a name that no other validation has'),
    ...validationItems.flatMap(({ item, path }) => [
      ...approvalProblems(item, path, section),
      ...gateProblems(item, path, allValidations),
      ...sliceProblems(item, path),
      ...redactProblems(item, path),
    ]),
  ]
}

function oidcProblems(oidc: Loose | undefined, path: string): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const mapping = oidc?.roles
  if (mapping !== null && typeof mapping === 'object' && Object.keys(mapping).length === 0) {
    const expected = 'at least one role with its claim; without one nobody can sign in'
    problems.push({ path: `${path}.roles`, value: mapping, expected })
  }
  if (oidc?.clientSecret !== undefined && oidc.clientId === undefined) {
    problems.push({ path: `${path}.clientId`, value: undefined, expected: 'the client that clientSecret belongs to' })
  }
  if (Array.isArray(oidc?.scopes) && !oidc.scopes.includes('openid')) {
    problems.push({
      path: `${path}.scopes`,
      value: oidc.scopes,
      expected: 'openid among them, to receive the ID token',
    })
  }
  return problems
}
