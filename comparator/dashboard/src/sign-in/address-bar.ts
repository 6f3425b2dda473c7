import { type SignInProblem, signInProblems } from '../../../../vocabulary/api/sign-in-problem.ts'

/** Sign-in data found in the address. */
type Brought = { kind: 'token'; token: string } | { kind: 'problem'; problem: SignInProblem } | null

/**
 * `#token=…`, as printed by the demo, or `#signIn=WORD`, as set on the way back from the issuer. Read once and removed:
 * neither stays in the address bar or the history.
 */
export function takeFromAddress(): Brought {
  const found = broughtBy(location.hash)
  if (found !== null) history.replaceState(null, '', '#/')
  return found
}

export function broughtBy(hash: string): Brought {
  if (!/^#(token|signIn)=/.test(hash)) return null
  const search = new URLSearchParams(hash.slice(1))
  const token = search.get('token')
  if (token) return { kind: 'token', token }
  const problem = signInProblems.find((known) => known === search.get('signIn')) ?? 'refused'
  return search.has('signIn') ? { kind: 'problem', problem } : null
}
