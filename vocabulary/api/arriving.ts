import { type Static, Type } from 'typebox'
import { named, nullable, Text, Time } from '../schema.ts'

export const ArrivingView = named('ArrivingView', 'Whether anything arrives for a validation.', {
  lastSeenAt: nullable(
    Time(),
    "when an observation, or a mirror's exchange counts, last arrived; null before the first",
  ),
  quietSince: nullable(
    Time(),
    'the alarm: since when nothing has arrived, if that is longer than `quietAfter`; null otherwise, ' +
      'and if the validation was decided against',
  ),
  mirror: nullable(
    Type.Object({ route: Text("the route's path prefix"), lastReportAt: Time('when it last reported so') }),
    'the last mirror to report that it mirrors for this validation; null if none has for 90 s, three heartbeats',
  ),
})
export type ArrivingView = Static<typeof ArrivingView>
