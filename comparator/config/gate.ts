import { Type } from 'typebox'
import { closed, closedOptional, Duration, PositiveDuration } from '../../runtime/config/fields.ts'
import { relativeTo } from '../../vocabulary/policy.ts'
import { sizeClasses } from '../../vocabulary/size-class.ts'

const limit = () =>
  Type.Optional(Type.Number({ description: 'a number without a unit: ms of a latency, 0 to 1 of a share' }))

/** One check of `gate:`. */
export const GateCheck = Type.Refine(
  Type.Object(
    {
      metric: Type.String({ minLength: 1, description: 'a metric such as agreement or latency.candidate.p99' }),
      /** Limits the check to one slice of the traffic. */
      slice: Type.Optional(
        Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*=.+$', maxLength: 160, description: 'a slice such as class=7' }),
      ),
      min: limit(),
      max: limit(),
      relativeTo: Type.Optional(Type.Enum([...relativeTo])),
      minRatio: limit(),
      maxRatio: limit(),
      minDifference: limit(),
      maxDifference: limit(),
      reportOnly: Type.Boolean({ default: false }),
    },
    closed,
  ),
  (check) => problemOfCheck(check) === undefined,
  (check) => problemOfCheck(check) ?? '',
)

type Limits = Partial<Record<'min' | 'max' | 'minRatio' | 'maxRatio' | 'minDifference' | 'maxDifference', number>>

function problemOfCheck(check: Limits & { relativeTo?: unknown }): string | undefined {
  const hasAny = (...names: (keyof Limits)[]) => names.some((name) => check[name] !== undefined)
  const isRatio = hasAny('minRatio', 'maxRatio')
  const isDifference = hasAny('minDifference', 'maxDifference')
  if (check.relativeTo === undefined) {
    if (isRatio || isDifference) return 'relativeTo: primary or noiseFloor, beside a ratio or a difference'
    return hasAny('min', 'max') ? undefined : 'a limit: min:, max: or both'
  }
  if (hasAny('min', 'max')) return 'min: and max: only without relativeTo:, with it minRatio:, maxRatio: and the like'
  if (isRatio && isDifference) return 'limits on the ratio or on the difference, in a check each'
  return isRatio || isDifference ? undefined : 'a limit: minRatio:, maxRatio:, minDifference: or maxDifference:'
}

const Coverage = (options: { default?: number } = {}) => Type.Number({ minimum: 0, maximum: 1, ...options })

/** How much evidence the gate needs. */
export const GateWindow = Type.Object(
  {
    duration: PositiveDuration({ default: '7d' }),
    samplesMin: Type.Integer({ minimum: 1, default: 1000 }),
    coverageMin: Coverage({ default: 0.95 }),
    /** Minimum coverage of single request size classes, in place of `coverageMin`. */
    coverageMinBySize: Type.Optional(
      Type.Object(Object.fromEntries(sizeClasses.map((sizeClass) => [sizeClass, Type.Optional(Coverage())])), closed),
    ),
    /** Whether all 168 hours of the week must have been seen. */
    everyHourOfWeek: Type.Optional(Type.Boolean()),
    /** Maximum age of the newest evidence. */
    ageMax: Type.Optional(PositiveDuration()),
    /** Span of newest evidence by which a passing check must not fail; 0s turns this off. */
    recent: Duration({ default: '24h' }),
  },
  closedOptional,
)
