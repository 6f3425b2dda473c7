import { randomUUIDv7 } from 'node:crypto'
import { comparatorSchema } from '../../comparator/config.ts'
import { type RunningComparator, startComparator } from '../../comparator/server.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { formatProblem } from '../../runtime/config/problem.ts'
import { createLogger } from '../../runtime/logger.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { DescribedAnswers } from './described-answers.ts'
import { tokenConfig, tokens } from './tokens.ts'

export { tokenConfig, tokens }

export const classification = {
  name: 'digits',
  output: { kind: 'classification', scores: '/predictions', labels: ['0', '1', '2'] },
  window: { duration: '60s', samplesMin: 300, coverageMin: 0.9 },
  gate: [
    { metric: 'agreement', min: 0.9 },
    { metric: 'errorRate.delta', max: 0.05 },
  ],
  rollout: { steps: [10, 100], stepDuration: '1s' },
}

export const regression = {
  name: 'price',
  output: { kind: 'regression', value: '/prediction' },
  store: { bodies: 'all' },
  window: { duration: '60s', samplesMin: 300, coverageMin: 0.9 },
  gate: [{ metric: 'mae', max: 1 }],
  rollout: { steps: [50, 100], stepDuration: '1s' },
}

export interface Answer {
  status: number
  body: any
  headers: Headers
}

export interface TestComparator {
  url: string
  database: TestDatabase
  call(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>
  post(observations: unknown[]): Promise<any>
  restart(): Promise<void>
  /** Stops the service, which can then be restarted. */
  stop(): Promise<void>
  /** Stops the service and drops its database. */
  close(): Promise<void>
}

/** A real comparator on a real database engine, with these validations. */
export async function startTestComparator(
  validations: unknown[],
  options: Pick<Parameters<typeof startComparator>[0], 'clock' | 'freeBytes' | 'slowClientMs'> & {
    more?: object
    database?: TestDatabase
  } = {},
): Promise<TestComparator> {
  const database = options.database ?? (await createTestDatabase())
  const raw = { listen: '127.0.0.1:0', database: database.url, tokens: tokenConfig, validations, ...options.more }
  const { value, problems } = decodeSection(raw, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join('\n'))
  const start = () =>
    startComparator({
      config: value as Parameters<typeof startComparator>[0]['config'],
      logger: createLogger('test', 'error'),
      ...(options.clock && { clock: options.clock }),
      ...(options.freeBytes && { freeBytes: options.freeBytes }),
      ...(options.slowClientMs && { slowClientMs: options.slowClientMs }),
    })
  let running: RunningComparator = await start()
  const described = new DescribedAnswers()

  const call: TestComparator['call'] = async (method, path, { token = tokens.ingest, body, headers = {} } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(running.url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = JSON.parse(text)
    } catch {
      // not every answer is JSON
    }
    // links opened in a browser answer with a page instead
    if (parsed !== text) await described.expect(running.url, method, path, response.status, parsed)
    return { status: response.status, body: parsed, headers: response.headers }
  }

  return {
    get url() {
      return running.url
    },
    database,
    call,
    post: async (observations) => (await call('POST', '/v1/observations', { body: { observations } })).body,
    stop: () => running.stop(),
    restart: async () => {
      await running.stop()
      running = await start()
    },
    close: async () => {
      await running.stop()
      await database.drop()
    },
  }
}

type Overrides = Partial<Omit<Observation, 'at' | 'primary' | 'candidate'>> & {
  at: number
  primary: unknown
  candidate: unknown
  primaryMs?: number
  candidateMs?: number
}

/** An observation in which both sides answered these documents; a value with a `kind` is used as the outcome itself. */
export function observation({
  at,
  primary,
  candidate,
  primaryMs = 20,
  candidateMs = 10,
  ...rest
}: Overrides): Observation {
  const outcome = (answer: unknown, totalMs: number, version: string) =>
    (answer as { kind?: string } | null)?.kind !== undefined
      ? (answer as Observation['primary'])
      : {
          kind: 'answered' as const,
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(answer),
          bodyEncoding: 'utf8' as const,
          ttfbMs: totalMs,
          totalMs,
          version,
        }
  return {
    id: randomUUIDv7(),
    validation: 'digits',
    at: new Date(at).toISOString(),
    request: {
      method: 'POST',
      path: '/predictions/digits',
      headers: { 'content-type': 'application/json' },
      body: '[1]',
      bodyEncoding: 'utf8',
      bodyBytes: 3,
    },
    primary: outcome(primary, primaryMs, '1'),
    candidate: outcome(candidate, candidateMs, '1'),
    ...rest,
  }
}

/** Scores of three classes, with this one highest. */
export const scores = (top: number) => ({ predictions: [0, 1, 2].map((i) => (i === top ? 0.8 : 0.1)) })
