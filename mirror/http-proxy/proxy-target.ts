import { urlToHttpOptions } from 'node:url'
import type { ProxyTarget } from 'http-proxy-3'
import type { Target } from '../upstream/target.ts'

/** An upstream's address as http-proxy-3 takes it. */
export function proxyTarget({ socketPath, url, tls }: Target): ProxyTarget {
  // over a Unix socket the host is nobody's
  if (socketPath !== undefined) return { protocol: 'http:', host: 'localhost', port: 80, socketPath }
  return tls ? ({ ...urlToHttpOptions(new URL(url)), ...tls } as ProxyTarget) : url
}
