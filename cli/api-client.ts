import type { Command } from 'commander'
import type { AuditEntry } from '../vocabulary/api/audit.ts'
import type { GateEvaluation } from '../vocabulary/api/gate.ts'
import type { ObservationDetail } from '../vocabulary/api/observation-detail.ts'
import type { ObservationPage } from '../vocabulary/api/observation-view.ts'
import type { PromotionView } from '../vocabulary/api/promotion.ts'
import type { GateReplay } from '../vocabulary/api/replay.ts'
import type { ValidationView } from '../vocabulary/api/validation.ts'
import type { ErrorBody } from '../vocabulary/problem.ts'
import { connectionWords } from './connection-words.ts'
import { CliFailure } from './failure.ts'
import { httpUrl } from './option-values.ts'

export interface ServerOptions {
  server: string
  token?: string
}

/** Validates the URL early, so that an invalid one is not reported as an unreachable server. */
export function serverUrl(text: string): string {
  httpUrl(text, 'give --token')
  return text
}

export const withServerOptions = (command: Command) =>
  command
    .requiredOption('--server <url>', "the comparator's address, such as http://127.0.0.1:7070", serverUrl)
    .option('--token <token>', 'bearer token (default: $UNDERSTUDY_TOKEN)')
    .option('--json', "print the API's answer as JSON")

/** An unsuccessful response from the API. */
export class ApiRefusal extends CliFailure {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(`${body.code}: ${body.message}`)
    this.status = status
    this.body = body
  }
}

/** The API calls that commands make. Throws `ApiRefusal`, or a `CliFailure` if the server cannot be reached. */
export class ApiClient {
  readonly #server: string
  readonly #token: string

  constructor({ server, token = process.env.UNDERSTUDY_TOKEN ?? '' }: ServerOptions) {
    if (token === '') throw new CliFailure('expected --token TOKEN or $UNDERSTUDY_TOKEN')
    // fetch trims a trailing line break; for any other it would print the token and report an unreachable server
    if (!/^[\x21-\x7e]+$/.test(token.trim())) {
      throw new CliFailure('expected a token of printable ASCII, without spaces or line breaks')
    }
    this.#server = server.replace(/\/$/, '')
    this.#token = token
  }

  gate = (validation: string) => this.#call<GateEvaluation>('checks', 'GET', `${pathOf(validation)}/gate`)

  validation = (name: string) => this.#call<ValidationView>('promotion', 'GET', pathOf(name))

  promote = (validation: string, body: { gateId: string; comment: string; override?: boolean }) =>
    this.#call<PromotionView>('state', 'POST', `${pathOf(validation)}/promotion`, body)

  act = (
    promotionId: string,
    action: 'approve' | 'reject' | 'abort' | 'rollback',
    body: { comment: string; gateId?: string; override?: boolean },
  ) => this.#call<PromotionView>('state', 'POST', `/v1/promotions/${promotionId}/${action}`, body)

  replay = (validation: string, query: { id?: string; since?: string; limit?: string }) =>
    this.#call<GateReplay>('evaluations', 'GET', `${pathOf(validation)}/gate/replay?${new URLSearchParams(query)}`)

  observations = (validation: string, query: Record<string, string>) =>
    this.#call<ObservationPage>(
      'observations',
      'GET',
      `${pathOf(validation)}/observations?${new URLSearchParams(query)}`,
    )

  observation = (id: string) => this.#call<ObservationDetail>('request', 'GET', `/v1/observations/${id}`)

  auditFrom = (after: number, limit: number) =>
    this.#call<{ entries: AuditEntry[] }>('entries', 'GET', `/v1/audit?after=${after}&limit=${limit}`)

  labels = (labels: unknown[]) => this.#call<{ accepted: number }>('accepted', 'POST', '/v1/labels', { labels })

  /** `key` must be present in every such answer: an app server may return 200 with anything at any path. */
  async #call<Answer>(key: keyof Answer, method: string, path: string, body?: unknown): Promise<Answer> {
    let response: Response
    let text: string
    try {
      response = await fetch(this.#server + path, {
        method,
        // a redirect to https would lose the token, and the action of a POST
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      text = await response.text()
    } catch (error) {
      const { cause = error } = error as Error
      throw new CliFailure(`${this.#server} does not answer: ${connectionWords(cause as Error)}`)
    }
    const location = response.headers.get('location')
    if (location !== null && response.status < 400) {
      throw new CliFailure(`${this.#server} redirects to ${location}: give the address that answers as --server`)
    }
    const answer = parse(text)
    const isAnswer = answer !== null && typeof answer === 'object' && key in answer
    if (response.ok && isAnswer) return answer as Answer
    const isError = (value: unknown): value is ErrorBody => typeof (value as ErrorBody | null)?.code === 'string'
    throw new ApiRefusal(
      response.status,
      isError(answer) ? answer : { code: `HTTP ${response.status}`, message: `${this.#server} is not a comparator` },
    )
  }
}

const pathOf = (validation: string) => `/v1/validations/${encodeURIComponent(validation)}`

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
