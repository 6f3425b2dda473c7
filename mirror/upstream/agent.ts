import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { headerBytesMax } from '../http1/header-limits.ts'
import { drawAgeMs } from './connection-pool.ts'
import { sharedLookup } from './shared-lookup.ts'
import { type Target, watchConnecting } from './target.ts'

/** Shorter than any app server's own keep-alive (5 s is common), which else would close under a request's feet. */
const idleSocketMs = 4000
const freeSocketsMax = 1024

/** For http-proxy-3. */
export function createAgent(target: Target, silenceMs: Milliseconds): HttpAgent | HttpsAgent {
  const options = { keepAlive: true, maxFreeSockets: freeSocketsMax, timeout: silenceMs, lookup: sharedLookup }
  const agent = target.tls ? new HttpsAgent({ ...options, ...target.tls }) : new HttpAgent(options)
  limitConnecting(agent, target)
  limitKeeping(agent, silenceMs)
  allowLargeHeads(agent)
  return agent
}

/** Idle connections end now, those that serve a request once that is over. */
export function closeAgent(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}

function limitConnecting(agent: HttpAgent, target: Target): void {
  const hooks = agent as unknown as AgentHooks
  const connect = hooks.createConnection.bind(agent)
  hooks.createConnection = (...rest) => {
    const socket = connect(...rest)
    watchConnecting(target, socket)
    return socket
  }
}

/**
 * Idle sockets leave after `idleSocketMs` or the server's own hint, all of them at an age; a busy one has the whole
 * `silenceMs` again.
 */
function limitKeeping(agent: HttpAgent, silenceMs: Milliseconds): void {
  const hooks = agent as unknown as AgentHooks
  const keptUntil = new WeakMap<Socket, Milliseconds>()
  const keep = hooks.keepSocketAlive.bind(agent)
  const reuse = hooks.reuseSocket.bind(agent)
  hooks.keepSocketAlive = (socket) => {
    const now = performance.now()
    const until = keptUntil.get(socket) ?? now + drawAgeMs()
    keptUntil.set(socket, until)
    const isKept = now < until && keep(socket)
    if (isKept && !(socket.timeout! > 0 && socket.timeout! < idleSocketMs)) socket.setTimeout(idleSocketMs)
    return isKept
  }
  hooks.reuseSocket = (socket, request) => {
    reuse(socket, request)
    socket.setTimeout(silenceMs)
  }
}

/** http-proxy-3 has no way to say so with each request. */
function allowLargeHeads(agent: HttpAgent): void {
  const hooks = agent as unknown as AgentHooks
  const add = hooks.addRequest.bind(agent)
  hooks.addRequest = (request, ...rest) => {
    request.maxHeaderSize = headerBytesMax
    request.maxHeadersCount = 0
    add(request, ...rest)
  }
}

/** Node documents the first three for overriding, its types have them on plain streams; the last is every agent's entry. */
interface AgentHooks {
  createConnection(...rest: unknown[]): Socket
  keepSocketAlive(socket: Socket): boolean
  reuseSocket(socket: Socket, request: unknown): void
  addRequest(request: { maxHeaderSize?: number; maxHeadersCount: number | null }, ...rest: unknown[]): void
}
