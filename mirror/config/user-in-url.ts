import type { ConfigProblem } from '../../runtime/config/problem.ts'

/**
 * Finds URLs with user information, which requests would silently omit. `remedy` says how to send the credential
 * instead.
 */
export function userProblems(urls: readonly { url: unknown; path: string; remedy: string }[]): ConfigProblem[] {
  return urls
    .filter(({ url }) => hasUser(url))
    .map(({ url, path, remedy }) => ({ path, value: url, expected: `a URL without a user; ${remedy}` }))
}

function hasUser(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && (parsed.username !== '' || parsed.password !== '')
}
