import { type Static, Type } from 'typebox'
import { Count, named, nullable, Text, Time } from '../schema.ts'
import { verdicts } from '../verdict.ts'

export const ReplayDifference = named('ReplayDifference', 'A difference between an evaluation and its replay.', {
  metric: Text("the check's metric; `gate` for the verdict"),
  field: Text('the field that differs, such as `estimate`'),
  stored: Type.Unknown({ description: 'what it was' }),
  replayed: Type.Unknown({ description: 'what it is now' }),
})
export type ReplayDifference = Static<typeof ReplayDifference>

export const ReplayedEvaluation = named('ReplayedEvaluation', 'One stored evaluation, judged again.', {
  id: Text('a UUID'),
  at: Time('when it was first judged'),
  verdict: Type.Enum(verdicts, { description: 'as it was stored' }),
  from: Type.Enum(['kept', 'rollups', 'notReplayable'], {
    description:
      '`kept`: from the stored input; `rollups`: from the rollups, which have not changed since; ' +
      '`notReplayable`: they have and the input was not kept, or earlier ones took all the time; `note` says which',
  }),
  replayed: nullable(Type.Enum(verdicts), 'the verdict now; null if it cannot be replayed'),
  differences: Type.Array(ReplayDifference, { description: 'none, if all is well' }),
  note: nullable(Text(), 'why it cannot be replayed, or what went wrong; null if it was judged'),
})
export type ReplayedEvaluation = Static<typeof ReplayedEvaluation>

export const GateReplay = named('GateReplay', 'Stored evaluations, judged again.', {
  validation: Text('its name'),
  evaluations: Type.Array(ReplayedEvaluation, { description: 'newest first' }),
  summary: Type.Object(
    {
      same: Count('evaluations without a difference'),
      different: Count('evaluations with one'),
      notReplayable: Count('evaluations that could not be judged'),
      leftOut: Count('of these, those for which there was no time; each can be replayed by its id'),
    },
    { description: 'counts by result' },
  ),
})
export type GateReplay = Static<typeof GateReplay>
