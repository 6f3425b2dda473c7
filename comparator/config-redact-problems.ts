import type { ConfigProblem } from '../runtime/config/problem.ts'
import type { Loose } from '../runtime/config/semantics.ts'
import { legs } from '../vocabulary/leg.ts'
import { sideOf } from '../vocabulary/mapping-side.ts'
import type { OutputMapping } from '../vocabulary/output-mapping.ts'
import { stepsOf } from '../vocabulary/pointer-steps.ts'

/** Values, scores and labels of answers are stored with every observation: what must not be stored is no output. */
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

/** Where in a body stands what is stored of it; a `*` is an item of a list. */
interface Place {
  pointer: string
  /** Whether a number may stand there under this key. */
  isKey?: (key: string) => boolean
}

/** Whether what is redacted holds the place or is part of what stands there: numbers, lists of them, scores by label. */
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

/** Of texts, documents, vectors and boxes nothing is stored but labels. */
function storedIn(mapping: unknown): Place[] {
  if (typeof mapping !== 'object' || mapping === null) return []
  return legs.flatMap((leg) => {
    const side = sideOf(mapping as OutputMapping, leg) as OutputMapping
    const places = placesOf(side).filter((place): place is Place => typeof place.pointer === 'string')
    // its pointers begin with a tensor's name
    return side.protocol === 'oip' && places.length > 0 ? [{ pointer: '/outputs/*/data' }] : places
  })
}

type Found = Pick<Place, 'isKey'> & { pointer: string | undefined }

function placesOf(side: OutputMapping): Found[] {
  switch (side.kind) {
    case 'regression':
      return [{ pointer: side.value }]
    case 'classification': {
      const { scores, label, labels } = side
      return [{ pointer: scores, isKey: (key) => !Array.isArray(labels) || labels.includes(key) }, { pointer: label }]
    }
    case 'detection':
      return [{ pointer: side.classes }, { pointer: `${side.boxes}/*${side.label ?? '/label'}` }]
    default:
      return []
  }
}
