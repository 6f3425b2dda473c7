import type { ConfigProblem } from '../../runtime/config/problem.ts'
import type { Loose } from '../../runtime/config/semantics.ts'
import { legs } from '../../vocabulary/leg.ts'
import { sideOf } from '../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { stepsOf } from '../../vocabulary/mapping/pointer-steps.ts'

/** Values, scores and labels are stored with every observation, so a redacted field cannot be one of an output's. */
export function redactProblems({ store, output, outputs }: Loose, path: string): ConfigProblem[] {
  const redact = (store as Loose | undefined)?.redact
  if (!Array.isArray(redact)) return []
  const stored = Object.entries({ output, ...prefixed(outputs as Loose | undefined) }).flatMap(([name, mapping]) =>
    storedIn(mapping).map((place) => ({ name, place })),
  )
  return redact.flatMap((value, i) => {
    if (typeof value !== 'string' || !value.startsWith('/')) return []
    const hit = stored.find(({ place }) => overlaps(stepsOf(value), place))
    if (hit === undefined) return []
    const expected = `a field that ${hit.name} does not read (${hit.place.pointer}): its answers are stored beside the bodies`
    return [{ path: `${path}.store.redact[${i}]`, value, expected }]
  })
}

function prefixed(outputs: Loose | undefined): Loose {
  return Object.fromEntries(Object.entries(outputs ?? {}).map(([name, mapping]) => [`outputs.${name}`, mapping]))
}

/** A place in a body whose content is stored; `*` stands for any item of a list. */
interface Place {
  pointer: string
  /** Whether the key may hold a number there. */
  isKey?: (key: string) => boolean
}

/** Whether the redacted pointer names the place, what holds it, or its numbers, lists of numbers or scores by label. */
function overlaps(redacted: readonly string[], { pointer, isKey }: Place): boolean {
  const steps = stepsOf(pointer)
  const within = redacted.slice(steps.length)
  return (
    redacted
      .slice(0, steps.length)
      .every((step, i) => (steps[i] === '*' ? isItem(step) : step === steps[i] || step === '*')) &&
    (within.length === 0 || isItem(within[0]!) || (within.length === 1 && isKey?.(within[0]!) === true))
  )
}

const isItem = (step: string) => step === '*' || /^\d+$/.test(step)

/** The places that an output's mapping has stored. Of texts, documents, vectors and boxes only labels are. */
function storedIn(mapping: unknown): Place[] {
  if (typeof mapping !== 'object' || mapping === null) return []
  return legs.flatMap((leg) => {
    const side = sideOf(mapping as OutputMapping, leg) as OutputMapping
    const places = placesOf(side).filter((place): place is Place => typeof place.pointer === 'string')
    // OIP pointers start with a tensor's name, so they are no paths into the body
    return side.protocol === 'oip' && places.length > 0 ? [{ pointer: '/outputs/*/data' }] : places
  })
}

type Found = Pick<Place, 'isKey'> & { pointer: string | undefined }

function placesOf(side: OutputMapping): Found[] {
  switch (side.kind) {
    case 'regression':
      return [{ pointer: side.value }]
    case 'classification': {
      const { scores, classes, label, labels } = side
      const isKey = (key: string) => !Array.isArray(labels) || labels.includes(key)
      return [{ pointer: scores, isKey }, { pointer: classes }, { pointer: label }]
    }
    case 'detection':
      return [{ pointer: side.classes }, { pointer: `${side.boxes}/*${side.label ?? '/label'}` }]
    default:
      return []
  }
}
