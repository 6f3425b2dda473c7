import { type Static, Type } from 'typebox'
import { named, nullable, Text, Time } from './schema.ts'

export const ArrivingView = named('ArrivingView', 'Whether anything arrives for a validation.', {
  lastSeenAt: nullable(
    Time(),
    "when an observation, or a mirror's count of exchanges, last arrived; null before the first",
  ),
  quietSince: nullable(
    Time(),
    'the alarm: since when nothing has arrived, once that is longer than `quietAfter`; null while something does, ' +
      'and of a validation decided against',
  ),
  mirror: nullable(
    Type.Object({ route: Text("the route's path prefix"), lastReportAt: Time('when it last said so') }),
    'the last mirror to say that it mirrors for this validation; null where none has for 90 s, three heartbeats',
  ),
})
export type ArrivingView = Static<typeof ArrivingView>
