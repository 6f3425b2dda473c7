import { observationHeader, shadowHeader } from '../../vocabulary/headers.ts'
import type { LiveHeadersConfig } from '../config/headers.ts'
import {
  asVariable,
  type Field,
  type Fields,
  field,
  fieldValue,
  isInvented,
  namedByConnection,
  tokensOf,
} from '../http1/fields.ts'
import { withHost } from '../http1/request-head.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { addForwarding } from './forwarding-headers.ts'

/** Fields that concern one connection (RFC 9110, 7.6.1), with `te` and `upgrade`, which `connection` should list. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'upgrade'])
/** What a `connection` header may not remove: fields that say where a message ends and whose it is. */
const neverNamed = new Set(['content-length', 'transfer-encoding', 'host', 'connection', 'close', 'keep-alive'])

/** Builds the header fields of live requests from the client's, as `headers:` in the config says. */
export class LiveHeaders {
  readonly #config: LiveHeadersConfig
  readonly #dropped: ReadonlySet<string>
  readonly #added: readonly Field[]

  constructor(config: LiveHeadersConfig) {
    this.#config = config
    this.#added = Object.entries(config.set).map(([name, value]) => field(name, value))
    // shadow markers never reach the live leg, so that an app can trust them
    const names = [...config.remove, ...Object.keys(config.set), shadowHeader, observationHeader]
    this.#dropped = new Set(names.map((name) => asVariable(name.toLowerCase())))
  }

  /** Called for every attempt to send a request. */
  toUpstream(request: LiveRequest, upstream: Upstream, trace: RequestTrace | undefined): Field[] {
    const upstreamHost = upstream.target.host
    let fields = withoutHopByHop(trace ? trace.sent(upstreamHost) : request.fields, this.#isDropped)
    const te = fieldValue(request.fields, 'te')
    if (te !== undefined && tokensOf(te).includes('trailers')) {
      fields.push(field('TE', 'trailers'), field('Connection', 'TE'))
    }
    addForwarding(fields, request, this.#config)
    fields.push(...this.#added)
    // an HTTP/1.0 client need not send a Host, but we send HTTP/1.1
    const isRewritten = this.#config.host === 'rewrite' || !fields.some(({ name }) => name === 'host')
    if (isRewritten) fields = withHost(fields, upstreamHost)
    return upstream.editFields(fields)
  }

  readonly #isDropped = (name: string) => {
    return this.#dropped.has(asVariable(name)) || isInvented(name)
  }
}

/**
 * The upstream's fields as the client gets them. Content-Length is dropped beside a transfer coding (RFC 9112, 6.3).
 */
export function toClient(fields: Fields): Field[] {
  const kept = withoutHopByHop(fields, () => false)
  const isCoded = kept.some(({ name }) => name === 'transfer-encoding')
  return isCoded ? kept.filter(({ name }) => name !== 'content-length') : kept
}

function withoutHopByHop(fields: Fields, isDropped: (name: string) => boolean): Field[] {
  const named = namedByConnection(fields)
  return fields.filter(
    ({ name }) => !(hopByHop.has(name) || isDropped(name) || (named.has(name) && !neverNamed.has(name))),
  )
}
