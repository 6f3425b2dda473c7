import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'

/** Whether anything arrives for a validation; `quietSince` is the alarm. */
export const ArrivingView = named('ArrivingView', {
  /** When an observation, or a mirror's count of exchanges, last arrived. */
  lastSeenAt: nullable(Time),
  /** Since when nothing has arrived, once that is longer than `quietAfter`. Never of a validation decided against. */
  quietSince: nullable(Time),
  /** The last mirror to say that it mirrors for this validation; `null` where none has for three heartbeats, 90 s. */
  mirror: nullable(Type.Object({ route: Type.String(), lastReportAt: Time })),
})
export type ArrivingView = Static<typeof ArrivingView>
