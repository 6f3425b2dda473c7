import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { UpstreamTlsConfig } from '../config/upstream.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import type { Reachability } from './reachability.ts'
import { sharedLookup } from './shared-lookup.ts'

/** An upstream's address, parsed once. */
export interface Target {
  /** As configured. */
  url: string
  isTls: boolean
  /** Where it is no Unix socket. */
  hostname: string
  port: number
  socketPath: string | undefined
  /** What a Host header for it says. */
  host: string
  /** Put before every path; without a slash at its end, so often empty. */
  pathPrefix: string
  tls: { ca?: Buffer; servername: string; rejectUnauthorized: boolean } | undefined
  /** For a connection to be made, TLS handshake included. */
  connectMaxMs: Milliseconds
  /** Told of every connection. */
  reachability: Reachability | undefined
}

const unixPrefix = 'unix:'
/** A host that does not answer at all would else take a request's whole time. */
const connectMaxMs: Milliseconds = 5000

/** Throws where a certificate file can't be read. */
export function parseTarget(
  url: string,
  tls?: UpstreamTlsConfig,
  silenceMs: Milliseconds = Number.POSITIVE_INFINITY,
  reachability?: Reachability,
): Target {
  // so that there is time left for another upstream
  const watched = { connectMaxMs: Math.min(connectMaxMs, silenceMs / 2), reachability }
  if (url.startsWith(unixPrefix)) {
    const socketPath = url.slice(unixPrefix.length)
    const common = { url, isTls: false, hostname: 'localhost', port: 80, host: 'localhost', pathPrefix: '' }
    return { ...common, ...watched, socketPath, tls: undefined }
  }
  const parsed = new URL(url)
  const isTls = parsed.protocol === 'https:'
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '')
  return {
    ...watched,
    url,
    isTls,
    hostname,
    port: Number(parsed.port) || (isTls ? 443 : 80),
    socketPath: undefined,
    host: parsed.host,
    pathPrefix: parsed.pathname.replace(/\/$/, ''),
    tls: isTls
      ? {
          // an address is no server name (RFC 6066, 3); the certificate is held against it all the same
          servername: tls?.serverName ?? (isIP(hostname) ? '' : hostname),
          rejectUnauthorized: tls?.verify ?? true,
          ...(tls?.ca !== undefined && { ca: readFileSync(tls.ca) }),
        }
      : undefined,
  }
}

/**
 * `own`: what a connection reads is the reader's to keep. `shared`: the next read, of any such connection, overwrites it;
 * but over TLS, which has memory of its own.
 */
export type Reads = 'own' | 'shared'

const sharedRead = Buffer.allocUnsafeSlow(64 * 1024)

/** A connection that is being made; half open stays open, so that a client's FIN can be passed on. */
export function connectTo(target: Target, reads: Reads): Socket {
  const { socketPath, hostname: host, port } = target
  const onread = {
    buffer: sharedRead,
    callback(bytes: number): boolean {
      socket.emit('data', sharedRead.subarray(0, bytes))
      return true
    },
  }
  const reading = reads === 'shared' && !target.tls ? { onread } : {}
  const options = { host, port, allowHalfOpen: true, noDelay: true, lookup: sharedLookup, ...reading }
  const socket: Socket =
    socketPath !== undefined
      ? connect({ path: socketPath, allowHalfOpen: true, ...reading })
      : target.tls
        ? connectTls({ ...options, ...target.tls, ALPNProtocols: ['http/1.1'] })
        : connect(options)
  if (socketPath === undefined) socket.setKeepAlive(true, keepAliveProbes.keepAliveInitialDelay)
  watchConnecting(target, socket)
  return socket
}

/** Ends one that takes too long. */
export function watchConnecting({ connectMaxMs, reachability, tls }: Target, socket: Socket): void {
  const connected = tls ? 'secureConnect' : 'connect'
  const tooLong = () => socket.destroy(new Error(`no connection within ${connectMaxMs} ms`))
  const timer = setTimeout(tooLong, connectMaxMs)
  socket.once(connected, () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
  reachability?.watch(socket, connected)
}
