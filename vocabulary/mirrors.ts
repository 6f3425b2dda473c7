import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'

export const breakerStates = ['closed', 'open', 'halfOpen'] as const
export type BreakerState = (typeof breakerStates)[number]

const Count = Type.Integer({ minimum: 0 })
const Text = (maxLength: number) => Type.String({ maxLength })
const Moment = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$',
  description: 'an RFC 3339 time in UTC',
})

/** Something that a person should look at. `NOTHING_ARRIVING`, `BREAKER_OPEN` and `SPOOL_FAILING` come from mirrors. */
export const MirrorAlarm = named('MirrorAlarm', {
  code: Text(100),
  validation: nullable(Text(200)),
  since: Moment,
  message: Text(2000),
})
export type MirrorAlarm = Static<typeof MirrorAlarm>

/** One validation's exchanges since the mirror started: `seen = delivered + pending + Σ skipped`. */
export const MirrorAccount = named('MirrorAccount', {
  validation: Text(200),
  seen: Count,
  delivered: Count,
  pending: Count,
  skipped: Type.Record(Type.String(), Count),
})
export type MirrorAccount = Static<typeof MirrorAccount>

/** A candidate server as a mirror meets it. Version and digest are those of its last answer. */
export const MirroredCandidate = named('MirroredCandidate', {
  validation: Text(200),
  route: Text(2000),
  url: Text(2000),
  breaker: Type.Enum([...breakerStates]),
  inFlight: Count,
  queued: Count,
  lastAnswerAt: nullable(Moment),
  version: nullable(Text(200)),
  digest: nullable(Text(200)),
})
export type MirroredCandidate = Static<typeof MirroredCandidate>

const itemsMax = 1000

/** What one mirror process says of itself, with its heartbeat. */
export const MirrorReport = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  /** Its number among the workers of one mirror, and how many there are. */
  worker: Type.Integer({ minimum: 0, maximum: 1000 }),
  workers: Type.Integer({ minimum: 1, maximum: 1001 }),
  startedAt: Moment,
  /** Its last word: it was told to stop. */
  isStopping: Type.Boolean(),
  lagMs: Type.Number({ minimum: 0, description: 'how long the oldest observation has waited for the comparator, ms' }),
  spooledBytes: Count,
  pending: Count,
  ledger: Type.Array(MirrorAccount, { maxItems: itemsMax }),
  alarms: Type.Array(MirrorAlarm, { maxItems: itemsMax }),
  candidates: Type.Array(MirroredCandidate, { maxItems: itemsMax }),
})
export type MirrorReport = Static<typeof MirrorReport>

/** One mirror, with its workers as one. `silent`: it stopped reporting without having said that it stops. */
export const MirrorView = named('MirrorView', {
  name: Type.String(),
  state: Type.Enum(['reporting', 'silent', 'stopped']),
  workers: Type.Integer(),
  startedAt: Time,
  lastReportAt: Time,
  lagMs: Type.Number(),
  spooledBytes: Type.Integer(),
  pending: Type.Integer(),
  ledger: Type.Array(MirrorAccount),
  alarms: Type.Array(MirrorAlarm),
  candidates: Type.Array(MirroredCandidate),
})
export type MirrorView = Static<typeof MirrorView>

/** `GET /v1/mirrors`: who reported within a day, by name. */
export const MirrorsView = named('MirrorsView', {
  mirrors: Type.Array(MirrorView),
  /** Of validations for which nothing arrives, whoever should have sent it. */
  alarms: Type.Array(MirrorAlarm),
})
export type MirrorsView = Static<typeof MirrorsView>
