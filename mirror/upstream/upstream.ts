import type { Agent as HttpAgent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { UpstreamTlsConfig } from '../config/upstream.ts'
import type { Field } from '../http1/fields.ts'
import { closeAgent, createAgent } from './agent.ts'
import { ConnectionPool } from './connection-pool.ts'
import { Reachability } from './reachability.ts'
import { parseTarget, type Target } from './target.ts'

/** A destination of live requests, with its own connections: a pool for each of the two forwarders. */
export interface Upstream {
  target: Target
  connections: ConnectionPool
  agent: HttpAgent | HttpsAgent
  /** Edits that live requests to this upstream need. */
  editFields(fields: Field[]): Field[]
  /** Called once no live request is under way. The rest of an upload whose answer came early may still be sent. */
  close(): void
}

interface UpstreamOptions {
  tls?: UpstreamTlsConfig | undefined
  /** Absent: whether it can be reached is not logged. */
  log?: { clock: Clock; logger: Logger }
  editFields?: Upstream['editFields']
}

/** Throws if a certificate file of `tls` can't be read. */
export function createUpstream(url: string, silenceMs: Milliseconds, options: UpstreamOptions = {}): Upstream {
  const { tls, log, editFields = (fields) => fields } = options
  const target = parseTarget(url, tls, silenceMs, log && new Reachability(url, log.clock, log.logger))
  const connections = new ConnectionPool(target)
  const agent = createAgent(target, silenceMs)
  return {
    target,
    connections,
    agent,
    editFields,
    close() {
      connections.close()
      closeAgent(agent)
    },
  }
}
