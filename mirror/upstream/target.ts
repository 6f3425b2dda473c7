import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type Certificate, readCertificate } from '../certificate.ts'
import type { UpstreamTlsConfig } from '../config/upstream.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import { leaveSpare, replaceSpare } from '../spare-descriptors.ts'
import { hearOut } from './hear-out.ts'
import type { Reachability } from './reachability.ts'
import { addressesOf, watchAttempts } from './silent-addresses.ts'

/** Options for Node's TLS. */
interface TargetTls extends Partial<Certificate> {
  ca?: Buffer
  servername: string
  rejectUnauthorized: boolean
}

/** An upstream's address, parsed once. */
export interface Target {
  /** As configured. */
  url: string
  isTls: boolean
  /** Unused for a Unix socket. */
  hostname: string
  port: number
  socketPath: string | undefined
  /** The value of a Host header for it. */
  host: string
  /** Put before every path. Has no trailing slash, so it is often empty. */
  pathPrefix: string
  tls: TargetTls | undefined
  /** Limit for making a connection, TLS handshake included. */
  connectMaxMs: Milliseconds
  /** Informed of every connection attempt. */
  reachability: Reachability | undefined
}

const unixPrefix = 'unix:'
/** A host that does not answer at all would otherwise use up a request's whole time. */
const connectMaxMs: Milliseconds = 5000

/** Throws if a certificate file can't be read, or a key is not its certificate's. */
export function parseTarget(
  url: string,
  tls?: UpstreamTlsConfig,
  silenceMs: Milliseconds = Number.POSITIVE_INFINITY,
  reachability?: Reachability,
): Target {
  // leaves time to try another upstream
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
          // an IP address is not a valid server name (RFC 6066, 3); the certificate is checked against it all the same
          servername: tls?.serverName ?? (isIP(hostname) ? '' : hostname),
          rejectUnauthorized: tls?.verify ?? true,
          ...(tls?.ca !== undefined && { ca: readFileSync(tls.ca) }),
          ...(tls?.cert !== undefined && tls.key !== undefined && readCertificate({ cert: tls.cert, key: tls.key })),
        }
      : undefined,
  }
}

/**
 * `requests`: each read has a buffer of its own, which the reader may keep. `copies`: the next read of any such
 * connection overwrites the buffer (TLS connections always have their own), and it leaves spare descriptors.
 */
export type ConnectionUse = 'requests' | 'copies'

const sharedRead = Buffer.allocUnsafeSlow(64 * 1024)

/** Starts a connection. It allows half-open, so that a client's FIN can be passed on. */
export function connectTo(target: Target, use: ConnectionUse): Socket {
  const { socketPath, hostname: host, port } = target
  const onread = {
    buffer: sharedRead,
    callback(bytes: number): boolean {
      socket.emit('data', sharedRead.subarray(0, bytes))
      return true
    },
  }
  const reading = use === 'copies' && !target.tls ? { onread } : {}
  const options = { host, port, allowHalfOpen: true, noDelay: true, lookup: addressesOf, ...reading }
  const socket: Socket =
    socketPath !== undefined
      ? connect({ path: socketPath, allowHalfOpen: true, ...reading })
      : target.tls
        ? connectTls({ ...options, ...target.tls, ALPNProtocols: ['http/1.1'] })
        : connect(options)
  if (socketPath === undefined) socket.setKeepAlive(true, keepAliveProbes.keepAliveInitialDelay)
  if (use === 'copies') leaveSpare(socket)
  else replaceSpare(socket)
  watchConnecting(target, socket)
  hearOut(socket)
  return socket
}

/** Destroys a connection that takes too long to be made, and learns from how it went. */
export function watchConnecting({ connectMaxMs, reachability, tls }: Target, socket: Socket): void {
  const connected = tls ? 'secureConnect' : 'connect'
  const tooLong = () => socket.destroy(new Error(`no connection within ${connectMaxMs} ms`))
  let isMade = false
  socket.once(connected, () => {
    isMade = true
  })
  // if this process was busy, the connection may be made and unheard of: that is heard before the immediate
  const timer = setTimeout(() => setImmediate(() => isMade || tooLong()), connectMaxMs)
  socket.once(connected, () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
  watchAttempts(socket)
  reachability?.watch(socket, connected)
}
