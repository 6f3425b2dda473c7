import { type Static, Type } from 'typebox'
import { Count, Flag, Num, named, nullable, Text, Time } from './schema.ts'

const breakerStates = ['closed', 'open', 'halfOpen'] as const
export type BreakerState = (typeof breakerStates)[number]

const Short = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description !== undefined && { description }) })
const Moment = (description?: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$',
    description: `an RFC 3339 time in UTC${description === undefined ? '' : `: ${description}`}`,
  })

export const MirrorAlarm = named('MirrorAlarm', "A problem that needs a person's attention.", {
  code: Short(
    100,
    'stable: `NOTHING_ARRIVING`, `BREAKER_OPEN`, `SPOOL_FAILING`, `MIRROR_SILENT`, `UNKNOWN_VALIDATION`',
  ),
  validation: nullable(Short(200), 'the validation concerned; null if it concerns the mirror'),
  since: Moment('when it began'),
  message: Short(2000, 'what is wrong, in words'),
})
export type MirrorAlarm = Static<typeof MirrorAlarm>

export const MirrorAccount = named(
  'MirrorAccount',
  "One validation's exchanges since the mirror started: seen = delivered + pending + Σ skipped.",
  {
    validation: Short(200, 'its name'),
    seen: Count('exchanges on its route'),
    delivered: Count('exchanges whose observation the comparator has accepted'),
    pending: Count('exchanges under way or waiting to be delivered'),
    skipped: Type.Record(Type.String(), Count(), { description: 'exchanges that are not compared, by reason' }),
  },
)
export type MirrorAccount = Static<typeof MirrorAccount>

export const MirroredCandidate = named('MirroredCandidate', 'A candidate server as a mirror sees it.', {
  validation: Short(200, 'the validation whose candidate it is'),
  route: Short(2000, "the route's path prefix"),
  url: Short(2000, 'its address for the mirror'),
  breaker: Type.Enum([...breakerStates], {
    description: '`open`: it gets nothing, because it failed several times in a row; `halfOpen`: it is being probed',
  }),
  inFlight: Count('shadow requests that it has not answered yet'),
  queued: Count("shadow requests that wait in the mirror's queue"),
  lastAnswerAt: nullable(Moment(), 'when it last answered; null before the first time'),
  version: nullable(Short(200), 'model version of its last answer; null if it named none'),
  digest: nullable(Short(200), 'digest of its model file, from its last answer; null if it named none'),
})
export type MirroredCandidate = Static<typeof MirroredCandidate>

const itemsMax = 1000

const said = {
  spooledBytes: Count('what waits on disk, bytes'),
  pending: Count('exchanges under way or waiting to be delivered'),
  ledger: Type.Array(MirrorAccount, { maxItems: itemsMax, description: 'by validation' }),
  alarms: Type.Array(MirrorAlarm, { maxItems: itemsMax, description: 'what is wrong now' }),
  candidates: Type.Array(MirroredCandidate, { maxItems: itemsMax, description: 'each candidate of each route' }),
}

export const MirrorReport = named('MirrorReport', 'What one mirror process reports about itself with its heartbeat.', {
  name: Type.String({ minLength: 1, maxLength: 200, description: "the mirror's name, 1 to 200 characters" }),
  worker: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'its number among the workers of one mirror, from 0',
  }),
  workers: Type.Integer({ minimum: 1, maximum: 1001, description: 'how many of them there are' }),
  startedAt: Moment('when this process started'),
  isStopping: Flag('whether this is its last report, because it was told to stop'),
  lagMs: Type.Number({ minimum: 0, description: 'how long deliveries to the comparator have been behind, ms' }),
  ...said,
})
export type MirrorReport = Static<typeof MirrorReport>

export const MirrorView = named('MirrorView', 'One mirror, with its workers as one.', {
  name: Text('as its config says, or HOST:PORT'),
  state: Type.Enum(['reporting', 'silent', 'stopped'], {
    description: '`silent`: it stopped reporting without announcing it',
  }),
  workers: Count('processes'),
  startedAt: Time('when the first of them started'),
  lastReportAt: Time('when one of them last reported'),
  lagMs: Num('how long deliveries to the comparator have been behind, ms'),
  ...said,
})
export type MirrorView = Static<typeof MirrorView>

export const MirrorsView = named('MirrorsView', 'The mirrors that report to this comparator.', {
  mirrors: Type.Array(MirrorView, { description: 'who reported within a day, by name' }),
  alarms: Type.Array(MirrorAlarm, {
    description: 'alarms of validations for which nothing arrives, from any mirror',
  }),
})
export type MirrorsView = Static<typeof MirrorsView>
