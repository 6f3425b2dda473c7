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

/** Where live requests go, with connections of its own: a pool for each of the two forwarders. */
export interface Upstream {
  target: Target
  connections: ConnectionPool
  agent: HttpAgent | HttpsAgent
  /** Of live requests: what it needs, and another upstream does not. */
  editFields(fields: Field[]): Field[]
  /** Once no live request is under way: what of an upload is left behind its answer goes on. */
  close(): void
}

/** Throws where a certificate file of `tls` can't be read. */
export function createUpstream(
  url: string,
  silenceMs: Milliseconds,
  tls?: UpstreamTlsConfig,
  log?: { clock: Clock; logger: Logger },
  editFields: Upstream['editFields'] = (fields) => fields,
): Upstream {
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
