import { type StaticDecode, Type } from 'typebox'
import { closed, Duration, timerMsMax as msMax } from '../../runtime/config/fields.ts'

const Group = Type.Object(
  {
    upTo: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'the largest size that this group takes, ≥ 1; the last may leave it out',
      }),
    ),
    instances: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 1,
      description: 'instances of this group, 1 to 1024',
    }),
    threads: Type.Integer({ minimum: 1, maximum: 1024, default: 1, description: 'threads of each, 1 to 1024' }),
    batch: Type.Optional(
      Type.Object(
        {
          sizeMax: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 4096, description: 'rows in a batch of this group, 1 to 4096' }),
          ),
          delayMax: Type.Optional(Duration({ msMax })),
        },
        { ...closed, description: 'what differs from the model’s batch: sizeMax, delayMax' },
      ),
    ),
  },
  { ...closed, description: 'a group of instances: upTo, instances, threads, batch' },
)

const areAscending = (groups: { upTo?: number }[]) =>
  groups.every(({ upTo }, i) =>
    upTo === undefined ? i === groups.length - 1 : i === 0 || upTo > (groups[i - 1]!.upTo ?? Number.POSITIVE_INFINITY),
  )

/** Instance groups for short, middle and long inputs. */
export const dispatchSchema = Type.Object(
  {
    by: Type.Enum(['length', 'elements'], {
      default: 'length',
      description: 'length (the second dimension of an input) or elements (of one row of all inputs)',
    }),
    input: Type.Optional(
      Type.String({ minLength: 1, description: 'the input whose length counts; the model’s first where left out' }),
    ),
    spillOver: Type.Enum(['none', 'larger', 'any'], {
      default: 'larger',
      description:
        'none, larger (an idle instance of a larger group takes what waits for a smaller one) or any (also the other way)',
    }),
    groups: Type.Refine(
      Type.Array(Group, { minItems: 1, maxItems: 16, description: 'one to 16 groups of instances' }),
      areAscending,
      () => 'groups whose upTo ascends; only the last may leave it out, and then takes every larger size',
    ),
  },
  { ...closed, description: 'instance groups by size: by, input, spillOver, groups' },
)

export type DispatchConfig = StaticDecode<typeof dispatchSchema>
