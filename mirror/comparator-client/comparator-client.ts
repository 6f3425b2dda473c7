import { Compile } from 'typebox/compile'
import { trustAdvice } from '../../runtime/trust-advice.ts'
import type { CoverageReport, MirroredValidation } from '../../vocabulary/coverage.ts'
import type { MirrorReport } from '../../vocabulary/mirrors.ts'
import { AcceptReceipt, type Rejection } from '../../vocabulary/observation.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type Fields, field, fieldValue } from '../http1/fields.ts'
import { NotConnected } from '../upstream/connection-failure.ts'
import { ConnectionPool } from '../upstream/connection-pool.ts'
import { sendWhole, type WholeRequest, type WholeResponse } from '../upstream/send-whole.ts'
import { parseTarget, type Target } from '../upstream/target.ts'

const deliveryTimeoutMs = 15_000
/** 16 kB/s. A slower link could never empty a full spool. */
const slowestBytesPerMs = 16

/** `refused`: this bundle itself is at fault. `away`: a later try may succeed. */
type Delivery =
  | { kind: 'received'; receipt: AcceptReceipt }
  | { kind: 'refused'; reason: string }
  | { kind: 'away'; reason: string }

type RoutingAnswer =
  | { kind: 'changed'; document: unknown; etag: string | undefined }
  | { kind: 'unchanged' }
  | { kind: 'away'; reason: string }

/** Compiled: interpreted, it took 0.13 ms of the event loop per delivery. */
const isReceipt = Compile(AcceptReceipt)
const bundleFaults = new Set([400, 413, 422])

/** Client of the comparator's API: three calls, none of which throws. */
export class ComparatorClient {
  readonly #target: Target
  readonly #connections: ConnectionPool
  #fields: Fields

  constructor(url: string, token: string) {
    this.#target = parseTarget(url)
    this.#connections = new ConnectionPool(this.#target)
    this.#fields = this.#authorizedBy(token)
  }

  /** Applies to calls made from now on. */
  useToken(token: string): void {
    this.#fields = this.#authorizedBy(token)
  }

  async deliver(
    observations: readonly Buffer[],
    signal?: AbortSignal,
    withinMs: Milliseconds = deliveryLimitMs(observations),
  ): Promise<Delivery> {
    const parts = observations.flatMap((observation, i) => [i === 0 ? begin : comma, observation])
    parts.push(end)
    try {
      const { status, body } = await this.#post('/v1/observations', parts, signal, withinMs)
      if (status >= 200 && status < 300) {
        const receipt: unknown = JSON.parse(body)
        if (!isReceipt.Check(receipt)) return { kind: 'away', reason: `status ${status} without a receipt` }
        if (accountsFor(receipt, observations.length)) return { kind: 'received', receipt }
        return { kind: 'away', reason: `status ${status} with a receipt for another number of observations` }
      }
      return { kind: bundleFaults.has(status) ? 'refused' : 'away', reason: refusal(status, body) }
    } catch (error) {
      return { kind: 'away', reason: reasonOf(error as Error) }
    }
  }

  /**
   * Returns which of the reports the comparator rejected, or undefined if it did not answer with success. `mirrors` is
   * the heartbeat, `mirror` the state of this mirror.
   */
  async reportCoverage(
    message: { reports: readonly CoverageReport[]; mirrors?: readonly MirroredValidation[]; mirror?: MirrorReport },
    signal?: AbortSignal,
  ): Promise<readonly Rejection[] | undefined> {
    try {
      const { status, body } = await this.#post('/v1/coverage', [Buffer.from(JSON.stringify(message))], signal)
      if (status < 200 || status >= 300) return undefined
      const receipt = parsedOrUndefined(body)
      return isReceipt.Check(receipt) ? receipt.rejected : []
    } catch {
      return undefined
    }
  }

  async routing(etag: string | undefined, waitMs: Milliseconds, signal: AbortSignal): Promise<RoutingAnswer> {
    try {
      const known = etag === undefined ? [] : [field('If-None-Match', etag)]
      const { status, fields, body } = await this.#send({
        method: 'GET',
        path: `/v1/routing?wait=${Math.round(waitMs / 1000)}s`,
        fields: [...this.#fields, ...known],
        body: [],
        withinMs: waitMs + deliveryTimeoutMs,
        signal,
      })
      if (status === 304 || status === 204) return { kind: 'unchanged' }
      if (status !== 200) return { kind: 'away', reason: refusal(status, body) }
      // invalid JSON is treated, and counted, as an invalid routing document
      return { kind: 'changed', document: parsedOrUndefined(body), etag: fieldValue(fields, 'etag') }
    } catch (error) {
      return { kind: 'away', reason: reasonOf(error as Error) }
    }
  }

  close(): void {
    this.#connections.close()
  }

  #post(
    path: string,
    body: readonly Buffer[],
    signal?: AbortSignal,
    withinMs = deliveryTimeoutMs,
  ): Promise<WholeResponse> {
    const fields = [...this.#fields, field('Content-Type', 'application/json')]
    return this.#send({ method: 'POST', path, fields, body, withinMs, signal })
  }

  #send(request: WholeRequest): Promise<WholeResponse> {
    return sendWhole(this.#connections, { ...request, path: this.#target.pathPrefix + request.path })
  }

  #authorizedBy(token: string): Fields {
    return [field('Host', this.#target.host), field('Authorization', `Bearer ${token}`)]
  }
}

/** Whether it says what became of each: something that has not read them all may answer too. */
function accountsFor({ accepted, duplicates, rejected }: AcceptReceipt, observations: number): boolean {
  const indices = new Set(rejected.map(({ index }) => index))
  const isEachKnown = indices.size === rejected.length && rejected.every(({ index }) => index < observations)
  return isEachKnown && accepted + duplicates + rejected.length === observations
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function deliveryLimitMs(observations: readonly Buffer[]): Milliseconds {
  const bytes = observations.reduce((sum, { length }) => sum + length, 0)
  return Math.max(deliveryTimeoutMs, Math.ceil(bytes / slowestBytesPerMs))
}

const begin = Buffer.from('{"observations":[')
const comma = Buffer.from(',')
const end = Buffer.from(']}')
const refusal = (status: number, body: string) => `status ${status}: ${body.slice(0, 300)}`

function reasonOf(error: NodeJS.ErrnoException): string {
  if (!(error instanceof NotConnected)) return typeof error.code === 'string' ? error.code : error.message
  const advice = trustAdvice((error.cause as NodeJS.ErrnoException).code)
  return advice ? `${error.message}; ${advice}` : error.message
}
