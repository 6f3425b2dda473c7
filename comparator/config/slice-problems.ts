import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated } from '../../runtime/config/semantics.ts'
import { isCredentialName } from '../../vocabulary/credential-names.ts'
import { pathsOverlap, stepsOf } from '../../vocabulary/mapping/pointer-steps.ts'
import { hasRows } from '../../vocabulary/mapping/row-pointers.ts'
import { sizeClasses } from '../../vocabulary/size-class.ts'
import {
  builtInDimensions,
  hourDimension,
  isHour,
  parseSliceKey,
  sliceValueCharsMax,
} from '../../vocabulary/slice/slice-key.ts'
import { evidenceMetrics } from '../metrics/catalogue/catalogue.ts'

/** Slice problems that the schema cannot express: repeated names, secrets, checks of slices that do not exist. */
export function sliceProblems(validation: Loose, path: string): ConfigProblem[] {
  const slices = objectsIn(validation.slices, `${path}.slices`)
  return [
    ...repeated(slices, 'name', 'a name that no other slice has'),
    ...slices.flatMap(({ item, path }) => [...nameProblems(item, path), ...secretProblems(item, path, validation)]),
    ...objectsIn(validation.gate, `${path}.gate`).flatMap(({ item, path }) => checkProblems(item, path, validation)),
  ]
}

function nameProblems({ name }: Loose, path: string): ConfigProblem[] {
  const isTaken = (builtInDimensions as readonly unknown[]).includes(name)
  return isTaken ? [{ path: `${path}.name`, value: name, expected: 'a name other than those built in' }] : []
}

function secretProblems({ header, pointer }: Loose, path: string, { store }: Loose): ConfigProblem[] {
  if (typeof header === 'string' && isCredentialName(header.toLowerCase())) {
    return [
      {
        path: `${path}.header`,
        value: header,
        expected: 'a header whose name does not suggest credentials: its values are stored',
      },
    ]
  }
  const redact = (store as Loose | undefined)?.redact
  if (typeof pointer !== 'string' || !Array.isArray(redact)) return []
  const hidden = redact.find((of) => typeof of === 'string' && pathsOverlap(stepsOf(of), stepsOf(pointer)))
  const expected = `a field that store.redact does not name (${hidden}): the values of slices are stored`
  return hidden === undefined ? [] : [{ path: `${path}.pointer`, value: pointer, expected }]
}

function checkProblems({ metric, slice }: Loose, path: string, validation: Loose): ConfigProblem[] {
  const key = typeof slice === 'string' ? parseSliceKey(slice) : null
  if (key === null) return []
  const problem = (expected: string) => [{ path: `${path}.slice`, value: slice, expected }]
  if (evidenceMetrics.includes(metric as string)) return problem(`none: ${metric} is of all traffic`)
  const dimensions = dimensionsIn(validation)
  if (!dimensions.includes(key.dimension)) return problem(`a slice by one of ${dimensions.join(', ')}`)
  if (key.dimension === hourDimension && !isHour(key.value)) return problem('an hour from 00 to 23, in UTC')
  if (key.value.length > sliceValueCharsMax) {
    return problem(`a value of at most ${sliceValueCharsMax} characters, to which longer ones are cut`)
  }
  if (key.dimension === 'bodySize' && !(sizeClasses as readonly string[]).includes(key.value)) {
    return problem(`bodySize= one of ${sizeClasses.join(', ')}`)
  }
  return []
}

function dimensionsIn({ output, slices }: Loose): string[] {
  const { kind, ...pointers } = (output ?? {}) as Loose
  const hasClass = kind === 'classification' && !hasRows(pointers)
  const builtIn = builtInDimensions.filter((name) => name !== 'class' || hasClass)
  return [...builtIn, ...objectsIn(slices, '').map(({ item }) => String(item.name))]
}
