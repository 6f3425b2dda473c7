import type { IncomingMessage, RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'

const longPollMs = 5000

/** What a mirror hears from its comparator; remembers each observation's id and how its candidate did. */
export class RecordingComparator {
  /** Outcome of the candidate by observation's id, by validation. */
  readonly outcomes = new Map<string, Map<string, string>>()
  /** Sent as they are, so that they need be no JSON. */
  #routing = ''
  #version = 0
  #changed = new AbortController()

  constructor() {
    this.route(1)
  }

  /** A good document. */
  route(version: number): void {
    this.routeText(JSON.stringify({ version, updatedAt: new Date().toISOString(), validations: {} }))
  }

  /** Anything at all. */
  routeText(text: string): void {
    this.#routing = text
    this.#version++
    this.#changed.abort()
    this.#changed = new AbortController()
  }

  /** How many observations of a validation have come with which outcome of the candidate. */
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
      response.destroy() // it was killed meanwhile
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
