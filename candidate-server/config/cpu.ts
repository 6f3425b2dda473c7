import { Type } from 'typebox'
import { closedOptional, Duration, timerMsMax as msMax } from '../../runtime/config/fields.ts'

const allocatorChoices = ['auto', 'none', 'jemalloc', 'tcmalloc'] as const
export type AllocatorChoice = (typeof allocatorChoices)[number]

const Count = (what: string) =>
  Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 1, maximum: 1024 })], {
    default: 'auto',
    description: `auto, or the number of ${what}, 1 to 1024`,
  })

export const Cpu = Type.Object(
  {
    instances: Count('instances of each model'),
    threads: Count('threads of each instance'),
    allocator: Type.Enum([...allocatorChoices], {
      default: 'auto',
      description: `one of ${allocatorChoices.join(', ')}; auto takes jemalloc or tcmalloc where installed`,
    }),
    straddleNuma: Type.Boolean({
      default: false,
      description: 'true or false: may an instance span NUMA nodes, or cores of different speeds',
    }),
    spinning: Type.Union([Type.Literal('auto'), Type.Boolean()], {
      default: 'auto',
      description:
        'auto, true or false: do idle threads wait busily for the next operator; auto: within a run, unless others have the same cores',
    }),
    hugePages: Type.Boolean({
      default: false,
      description: 'true or false: does the allocator ask for transparent huge pages',
    }),
    watch: Duration({ default: '5s', msMax }),
  },
  closedOptional,
)
