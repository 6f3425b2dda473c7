import type { ConfigProblem } from '../../runtime/config/problem.ts'

/** Finds URLs that point back to this mirror: a request would loop until its head grew too large. */
export function ownAddressProblems(
  urls: readonly { url: unknown; path: string }[],
  listens: readonly unknown[],
): ConfigProblem[] {
  return urls
    .filter(({ url }) => listens.some((listen) => isSame(url, listen)))
    .map(({ url, path }) => ({ path, value: url, expected: "an address that is not the mirror's own" }))
}

function isSame(url: unknown, listen: unknown): boolean {
  if (typeof url !== 'string' || typeof listen !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) return false
  const { protocol, hostname, port } = new URL(url)
  const colon = listen.lastIndexOf(':')
  const own = Number(listen.slice(colon + 1))
  return (
    own !== 0 &&
    own === Number(port || (protocol === 'https:' ? 443 : 80)) &&
    leadsTo(hostname, listen.slice(0, colon).toLowerCase())
  )
}

/** Judged by the text alone: the only name it resolves is localhost. */
function leadsTo(host: string, listenHost: string): boolean {
  const isLoopback = host === 'localhost' || host.startsWith('127.')
  if (listenHost === '' || listenHost === '0.0.0.0') return isLoopback
  if (listenHost === '[::]') return isLoopback || host === '[::1]'
  return host === listenHost || (host === 'localhost' && listenHost === '127.0.0.1')
}
