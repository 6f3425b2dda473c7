import { type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { headerBytesMax } from '../http1/header-limits.ts'
import { announcedIdleMs } from '../http1/response-head.ts'
import { replaceSpare } from '../spare-descriptors.ts'
import { allowedIdleMs, drawAgeMs, idleMax } from './connection-pool.ts'
import { hearOut } from './hear-out.ts'
import { addressesOf } from './silent-addresses.ts'
import { type Target, watchConnecting } from './target.ts'

/** The agent that http-proxy-3 uses. */
export function createAgent(target: Target, silenceMs: Milliseconds): HttpAgent | HttpsAgent {
  const options = { keepAlive: true, maxFreeSockets: idleMax, timeout: silenceMs, lookup: addressesOf }
  const agent = target.tls ? new HttpsAgent({ ...options, ...target.tls }) : new HttpAgent(options)
  watchConnections(agent, target)
  limitKeeping(agent, silenceMs)
  allowLargeHeads(agent)
  return agent
}

/** Ends idle connections now, and busy ones when their request is over. */
export function closeAgent(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}

/** As `connectTo` does for the pool's. */
function watchConnections(agent: HttpAgent, target: Target): void {
  const hooks = agent as unknown as AgentHooks
  const connect = hooks.createConnection.bind(agent)
  hooks.createConnection = (...rest) => {
    const socket = connect(...rest)
    replaceSpare(socket)
    watchConnecting(target, socket)
    hearOut(socket)
    return socket
  }
}

/**
 * Idle sockets are closed when the pool's connections would be, and all of them at an age. Where a busy loop is late to
 * close them, they are not taken any more all the same. A reused socket gets the whole `silenceMs` again.
 */
function limitKeeping(agent: HttpAgent, silenceMs: Milliseconds): void {
  const hooks = agent as unknown as AgentHooks
  const keptUntil = new WeakMap<Socket, Milliseconds>()
  const idleUntil = new WeakMap<Socket, Milliseconds>()
  const announcedMs = new WeakMap<Socket, Milliseconds | undefined>()
  const add = hooks.addRequest.bind(agent)
  const keep = hooks.keepSocketAlive.bind(agent)
  const reuse = hooks.reuseSocket.bind(agent)
  hooks.addRequest = (request, ...rest) => {
    request.once('response', ({ socket, headers }) => {
      // Node's agent reads them too, so they are parsed once
      announcedMs.set(socket, announcedIdleMs(headers['keep-alive'] as string | undefined))
    })
    for (const free of Object.values(agent.freeSockets)) {
      // the one used last is taken first: if its time is over, so is that of the others
      const last = free?.at(-1)
      if (last && idleUntil.get(last)! <= performance.now()) for (const socket of free!) socket.destroy()
    }
    add(request, ...rest)
  }
  hooks.keepSocketAlive = (socket) => {
    const now = performance.now()
    const until = keptUntil.get(socket) ?? now + drawAgeMs()
    keptUntil.set(socket, until)
    const idleMs = allowedIdleMs(announcedMs.get(socket))
    const isKept = now < until && idleMs > 0 && keep(socket)
    if (!isKept) return false
    socket.setTimeout(idleMs)
    idleUntil.set(socket, now + idleMs)
    return true
  }
  hooks.reuseSocket = (socket, request) => {
    reuse(socket, request)
    socket.setTimeout(silenceMs)
  }
}

/** http-proxy-3 offers no way to set this per request. */
function allowLargeHeads(agent: HttpAgent): void {
  const hooks = agent as unknown as AgentHooks
  const add = hooks.addRequest.bind(agent)
  hooks.addRequest = (request, ...rest) => {
    request.maxHeaderSize = headerBytesMax
    request.maxHeadersCount = 0
    add(request, ...rest)
  }
}

/**
 * The first three are documented for overriding, although Node's types place them on plain streams; the last is the
 * entry point of every agent.
 */
interface AgentHooks {
  createConnection(...rest: unknown[]): Socket
  keepSocketAlive(socket: Socket): boolean
  reuseSocket(socket: Socket, request: unknown): void
  addRequest(request: ClientRequest & { maxHeaderSize?: number }, ...rest: unknown[]): void
}
