import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn } from '../../runtime/config/semantics.ts'

/**
 * Contradictions between the sections of one file. No service can detect them, because each reads only its own section.
 * If the comparator does not know a validation, it rejects all of the mirror's observations for it; if the mirror does
 * not capture a slice's header, the slice has only one value.
 */
export function problemsBetween(sections: Loose): ConfigProblem[] {
  const mirror = objectOf(sections.mirror)
  const comparator = objectOf(sections.comparator)
  if (!mirror?.comparator || !comparator) return []
  const validations = objectsIn(comparator.validations, 'comparator.validations')
  return [...unknownValidations(mirror, validations), ...headersNotCaptured(mirror, validations)]
}

type Items = ReturnType<typeof objectsIn>

function unknownValidations({ routes }: Loose, validations: Items): ConfigProblem[] {
  const names = validations.map(({ item }) => item.name)
  const legs = objectsIn(routes, 'mirror.routes').flatMap(({ item, path }) => [
    ...objectsIn(item.candidates, `${path}.candidates`),
    ...[item.noiseFloor].flatMap((leg) => (objectOf(leg) ? [{ item: leg as Loose, path: `${path}.noiseFloor` }] : [])),
  ])
  const expected = `a name in comparator.validations: ${names.join(', ') || 'there is none'}`
  return legs.flatMap(({ item: { validation }, path }) =>
    validation === undefined || names.includes(validation)
      ? []
      : [{ path: `${path}.validation`, value: validation, expected }],
  )
}

function headersNotCaptured({ capture }: Loose, validations: Items): ConfigProblem[] {
  const headers = objectOf(capture)?.headers
  if (!Array.isArray(headers)) return []
  const captured = headers.map((name) => String(name).toLowerCase())
  const expected = `a header in mirror.capture.headers: ${captured.join(', ') || 'there is none'}`
  return validations
    .flatMap(({ item, path }) => objectsIn(item.slices, `${path}.slices`))
    .flatMap(({ item: { header }, path }) =>
      typeof header !== 'string' || captured.includes(header)
        ? []
        : [{ path: `${path}.header`, value: header, expected }],
    )
}

const objectOf = (value: unknown): Loose | undefined =>
  value !== null && typeof value === 'object' ? (value as Loose) : undefined
