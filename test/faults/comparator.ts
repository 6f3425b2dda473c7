import type { IncomingMessage, RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'

const longPollMs = 5000

/** A comparator that records each observation's id and its candidate's outcome. */
export class RecordingComparator {
  /** Validation → observation id → the candidate's outcome. */
  readonly outcomes = new Map<string, Map<string, string>>()
  /** Sent verbatim, so it need not be JSON. */
  #routing = ''
  #version = 0
  #changed = new AbortController()

  constructor() {
    this.route(1)
  }

  /** Serves a valid routing document. */
  route(version: number): void {
    this.routeText(JSON.stringify({ version, updatedAt: new Date().toISOString(), validations: {} }))
  }

  /** Serves any text as the routing document. */
  routeText(text: string): void {
    this.#routing = text
    this.#version++
    this.#changed.abort()
    this.#changed = new AbortController()
  }

  /** Number of observations of a validation, by the candidate's outcome. */
  counts(validation: string): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const kind of this.outcomes.get(validation)?.values() ?? []) counts[kind] = (counts[kind] ?? 0) + 1
    return counts
  }

  readonly answer: RequestListener = async (request, response) => {
    try {
      if (request.url!.startsWith('/v1/routing')) {
        await this.#untilChanged(request)
        const isKnown = request.headers['if-none-match'] === this.#etag
        response.writeHead(isKnown ? 304 : 200, { 'content-type': 'application/json', etag: this.#etag })
        response.end(isKnown ? undefined : this.#routing)
        return
      }
      const body = JSON.parse((await buffer(request)).toString())
      const receipt = request.url === '/v1/observations' ? this.#accept(body.observations) : {}
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(receipt))
    } catch {
      response.destroy() // the comparator was killed meanwhile
    }
  }

  get #etag(): string {
    return `"${this.#version}"`
  }

  #untilChanged(request: IncomingMessage): Promise<void> | undefined {
    if (request.headers['if-none-match'] !== this.#etag) return undefined
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longPollMs)
      this.#changed.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #accept(observations: { id: string; validation: string; candidate: { kind: string } }[]) {
    let duplicates = 0
    for (const { id, validation, candidate } of observations) {
      const known = this.outcomes.getOrInsertComputed(validation, () => new Map())
      if (known.has(id)) duplicates++
      known.set(id, candidate.kind)
    }
    return { accepted: observations.length - duplicates, duplicates, rejected: [] }
  }
}
