import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import { Pool } from 'undici'
import type { CoverageReport, MirroredValidation } from '../../vocabulary/coverage.ts'
import type { MirrorReport } from '../../vocabulary/mirrors.ts'
import { AcceptReceipt, bundleBytesMax } from '../../vocabulary/observation.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'

const deliveryTimeoutMs = 15_000
const connectionsMax = 4
/** Sent in one piece. */
const wholeBytesMax: Bytes = bundleBytesMax + 1024
const stepBytes: Bytes = 64 * 1024

/** `refused`: this very bundle is at fault. `away`: it may go better later. */
export type Delivery =
  | { kind: 'received'; receipt: AcceptReceipt }
  | { kind: 'refused'; reason: string }
  | { kind: 'away'; reason: string }

export type RoutingAnswer =
  | { kind: 'changed'; document: unknown; etag: string | undefined }
  | { kind: 'unchanged' }
  | { kind: 'away'; reason: string }

/** Compiled: interpreted, it took 0.13 ms of the loop for each delivery. */
const isReceipt = Compile(AcceptReceipt)
const bundleFaults = new Set([400, 413, 422])

/** The comparator's side of the mirror: three calls, none of which throws. */
export class ComparatorClient {
  readonly #pool: Pool
  readonly #prefix: string
  #headers: Record<string, string>

  constructor(url: string, token: string) {
    const { origin, pathname } = new URL(url)
    this.#pool = new Pool(origin, { connections: connectionsMax, pipelining: 1, allowH2: false })
    this.#pool.on('connectionError', () => {}) // each call hears of it by itself
    this.#prefix = pathname.replace(/\/$/, '')
    this.#headers = authorizedBy(token)
  }

  /** For calls that begin from now on. */
  useToken(token: string): void {
    this.#headers = authorizedBy(token)
  }

  async deliver(observations: readonly Buffer[], signal?: AbortSignal): Promise<Delivery> {
    const parts = observations.flatMap((observation, i) => [i === 0 ? begin : comma, observation])
    parts.push(end)
    try {
      const { status, body } = await this.#post('/v1/observations', parts, signal)
      if (status >= 200 && status < 300) {
        const receipt: unknown = JSON.parse(body)
        if (isReceipt.Check(receipt)) return { kind: 'received', receipt }
        return { kind: 'away', reason: `status ${status} without a receipt` }
      }
      const reason = `status ${status}: ${body.slice(0, 300)}`
      return { kind: bundleFaults.has(status) ? 'refused' : 'away', reason }
    } catch (error) {
      return { kind: 'away', reason: reasonOf(error as Error) }
    }
  }

  /** Whether the comparator took the reports; `mirrors` is the heartbeat, `mirror` how this one is. */
  async reportCoverage(
    message: { reports: readonly CoverageReport[]; mirrors?: readonly MirroredValidation[]; mirror?: MirrorReport },
    signal?: AbortSignal,
  ): Promise<boolean> {
    try {
      const { status } = await this.#post('/v1/coverage', [Buffer.from(JSON.stringify(message))], signal)
      return status >= 200 && status < 300
    } catch {
      return false
    }
  }

  async routing(etag: string | undefined, waitMs: Milliseconds, signal: AbortSignal): Promise<RoutingAnswer> {
    try {
      const { statusCode, headers, body } = await this.#pool.request({
        method: 'GET',
        path: `${this.#prefix}/v1/routing?wait=${Math.round(waitMs / 1000)}s`,
        headers: etag === undefined ? this.#headers : { ...this.#headers, 'if-none-match': etag },
        headersTimeout: waitMs + deliveryTimeoutMs,
        bodyTimeout: deliveryTimeoutMs,
        signal,
      })
      if (statusCode === 304 || statusCode === 204) {
        await body.dump()
        return { kind: 'unchanged' }
      }
      const text = await body.text()
      if (statusCode !== 200) return { kind: 'away', reason: `status ${statusCode}` }
      const tag = headers.etag
      return { kind: 'changed', document: parsedOrUndefined(text), etag: typeof tag === 'string' ? tag : undefined }
    } catch (error) {
      return { kind: 'away', reason: reasonOf(error as Error) }
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #post(
    path: string,
    parts: readonly Buffer[],
    signal: AbortSignal | undefined,
  ): Promise<{ status: number; body: string }> {
    const timeout = AbortSignal.timeout(deliveryTimeoutMs)
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    const answer = await this.#pool.request({
      method: 'POST',
      path: this.#prefix + path,
      headers: { ...this.#headers, 'content-type': 'application/json', 'content-length': String(bytes) },
      body: bytes > wholeBytesMax ? Readable.from(inSteps(parts)) : Buffer.concat(parts),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    return { status: answer.statusCode, body: await answer.body.text() }
  }
}

/** What is no JSON is no routing document either, and counted as such. */
function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Copied nowhere, and with a turn of the loop between, in which live requests come first. */
async function* inSteps(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += stepBytes) {
      yield part.subarray(at, at + stepBytes)
      await nextTurn()
    }
  }
}

const authorizedBy = (token: string) => ({ authorization: `Bearer ${token}` })

const begin = Buffer.from('{"observations":[')
const comma = Buffer.from(',')
const end = Buffer.from(']}')
const reasonOf = ({ code, message }: NodeJS.ErrnoException) => (typeof code === 'string' ? code : message)
