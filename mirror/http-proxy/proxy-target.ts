import { urlToHttpOptions } from 'node:url'
import type { ProxyTarget } from 'http-proxy-3'
import type { Target } from '../upstream/target.ts'

/** An upstream's address in the form that http-proxy-3 takes. */
export function proxyTarget({ socketPath, url, tls }: Target): ProxyTarget {
  // over a Unix socket the host has no meaning
  if (socketPath !== undefined) return { protocol: 'http:', host: 'localhost', port: 80, socketPath }
  return tls ? ({ ...urlToHttpOptions(new URL(url)), ...tls } as ProxyTarget) : url
}
