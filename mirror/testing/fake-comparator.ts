import type { CoverageReport, MirroredValidation } from '../../vocabulary/coverage.ts'
import type { MirrorReport } from '../../vocabulary/mirrors.ts'
import type { Observation, Rejection } from '../../vocabulary/observation.ts'
import type { RouteState } from '../../vocabulary/routing.ts'
import { parseDuration } from '../../vocabulary/units.ts'
import { fakeUpstream, readAll } from './fake-upstream.ts'

export interface FakeComparator {
  url: string
  port: number
  observations: Map<string, Observation>
  /** How many observations came with an id that had been accepted before. */
  repeated: number
  bundles: number[]
  tokens: Set<string | undefined>
  /** The newest report of each reporter, validation, minute and size class. */
  coverage: Map<string, CoverageReport>
  /** What it says it rejects of each message's coverage reports; it keeps them all the same. */
  rejectedReports: Rejection[]
  /** The heartbeats, oldest first. */
  heartbeats: MirroredValidation[][]
  /** What mirrors reported about themselves, oldest first. */
  mirrors: MirrorReport[]
  /** If it returns something, answers a bundle with that in place of the usual 202. */
  onBundle: ((observations: Observation[]) => { status: number; body?: unknown } | undefined) | undefined
  route(version: number, validations: Record<string, Partial<RouteState>>): void
  /** Serves anything at all, even an invalid routing document. */
  routeRaw(document: unknown): void
  close(): Promise<void>
}

/** The comparator's three calls for mirrors, in memory: accepts each id once and counts repeats. */
export async function fakeComparator(port = 0): Promise<FakeComparator> {
  let routing: unknown = { version: 1, updatedAt: new Date().toISOString(), validations: {} }
  let etag = 1
  let changed = () => {}
  const upstream = await fakeUpstream(async (request, response) => {
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(status === 304 ? undefined : JSON.stringify(body))
    }
    fake.tokens.add(request.headers.authorization)
    try {
      const [path, query] = request.url!.split('?')
      if (path === '/v1/routing') {
        if (request.headers['if-none-match'] === `"${etag}"`) {
          const waitMs = parseDuration(new URLSearchParams(query).get('wait')!)
          await new Promise<void>((resolve) => {
            changed = resolve
            setTimeout(resolve, waitMs).unref()
          })
        }
        const isSame = request.headers['if-none-match'] === `"${etag}"`
        answer(isSame ? 304 : 200, routing, { etag: `"${etag}"` })
        return
      }
      const body = JSON.parse((await readAll(request)).toString())
      if (path === '/v1/coverage') {
        for (const report of body.reports as CoverageReport[]) {
          fake.coverage.set(`${report.reporter} ${report.validation} ${report.minute} ${report.sizeClass}`, report)
        }
        if (body.mirrors) fake.heartbeats.push(body.mirrors)
        if (body.mirror) fake.mirrors.push(body.mirror)
        const rejected = fake.rejectedReports
        answer(202, { accepted: body.reports.length - rejected.length, duplicates: 0, rejected })
        return
      }
      const observations = body.observations as Observation[]
      const other = fake.onBundle?.(observations)
      if (other && other.status !== 202) {
        answer(other.status, other.body ?? { code: 'TEST', message: 'as the test says' })
        return
      }
      fake.bundles.push(observations.length)
      let duplicates = 0
      const rejected = (other?.body ?? []) as { index: number }[]
      observations.forEach((observation, i) => {
        if (rejected.some(({ index }) => index === i)) return
        if (fake.observations.has(observation.id)) duplicates++
        fake.observations.set(observation.id, observation)
      })
      fake.repeated += duplicates
      answer(202, { accepted: observations.length - duplicates - rejected.length, duplicates, rejected })
    } catch {
      response.destroy()
    }
  }, port)
  const routeRaw = (document: unknown) => {
    routing = document
    etag++
    changed()
  }
  const fake: FakeComparator = {
    url: upstream.url,
    port: upstream.port,
    observations: new Map(),
    repeated: 0,
    bundles: [],
    tokens: new Set(),
    coverage: new Map(),
    rejectedReports: [],
    heartbeats: [],
    mirrors: [],
    onBundle: undefined,
    routeRaw,
    route(version, validations) {
      const states = Object.entries(validations).map(([name, state]) => [
        name,
        { state: 'rollingOut', livePercent: 0, reverseShadow: true, ...state },
      ])
      routeRaw({ version, updatedAt: new Date().toISOString(), validations: Object.fromEntries(states) })
    },
    close: () => upstream.close(),
  }
  return fake
}
