import type { ConfigProblem } from '../../runtime/config/problem.ts'

/** Of URLs with a user: it would be left out of the requests without a word. `remedy` says what sends a credential. */
export function userProblems(urls: readonly { url: unknown; path: string; remedy: string }[]): ConfigProblem[] {
  return urls
    .filter(({ url }) => hasUser(url))
    .map(({ url, path, remedy }) => ({ path, value: url, expected: `a URL without a user; ${remedy}` }))
}

function hasUser(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && (parsed.username !== '' || parsed.password !== '')
}
