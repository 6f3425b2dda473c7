import { type Static, Type } from 'typebox'
import { Count, named, nullable, Text, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

export const ReplayDifference = named('ReplayDifference', 'Where an evaluation judged anew is another.', {
  metric: Text("the check's metric; `gate` of the verdict"),
  field: Text('what of the check, such as `estimate`'),
  stored: Type.Unknown({ description: 'what it was' }),
  replayed: Type.Unknown({ description: 'what it is now' }),
})
export type ReplayDifference = Static<typeof ReplayDifference>

export const ReplayedEvaluation = named('ReplayedEvaluation', 'One stored evaluation, judged once more.', {
  id: Text('a UUID'),
  at: Time('when it was judged first'),
  verdict: Type.Enum(verdicts, { description: 'as it was stored' }),
  from: Type.Enum(['kept', 'rollups', 'notReplayable'], {
    description:
      '`kept`: from the very input that was judged; `rollups`: from the rollups, which have not moved since; ' +
      '`notReplayable`: they have, and the input was not kept, or those before took too long; `note` says which',
  }),
  replayed: nullable(Type.Enum(verdicts), 'what it comes to now; null where it is not replayable'),
  differences: Type.Array(ReplayDifference, { description: 'none, if all is well' }),
  note: nullable(Text(), 'why it is not replayable, or what went wrong; null where it was judged'),
})
export type ReplayedEvaluation = Static<typeof ReplayedEvaluation>

export const GateReplay = named('GateReplay', 'Stored evaluations judged once more.', {
  validation: Text('its name'),
  evaluations: Type.Array(ReplayedEvaluation, { description: 'newest first' }),
  summary: Type.Object(
    {
      same: Count('evaluations without a difference'),
      different: Count('evaluations with one'),
      notReplayable: Count('evaluations that could not be judged'),
      leftOut: Count('of these, those for which there was no time; each can be asked for by its id'),
    },
    { description: 'how many of which' },
  ),
})
export type GateReplay = Static<typeof GateReplay>
