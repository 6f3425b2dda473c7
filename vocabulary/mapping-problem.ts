import { legs } from './leg.ts'
import { sideOf } from './mapping-side.ts'
import type { ClassificationMapping, DetectionMapping, EmbeddingMapping, OutputMapping } from './output-mapping.ts'
import { rowSteps } from './row-pointers.ts'

export function problemOfMapping(mapping: OutputMapping): string | undefined {
  for (const leg of legs) {
    const problem = problemOfSide(sideOf(mapping, leg) as OutputMapping)
    if (problem !== undefined) return `${problem} for both sides`
  }
  if (mapping.kind === 'classification') return problemOfRows(mapping)
  if (mapping.kind === 'embedding') return problemOfVectors(mapping)
  return mapping.kind === 'detection' ? problemOfCoordinates(mapping) : undefined
}

/** A row of one side is compared with the same row of the other. */
function problemOfRows(mapping: ClassificationMapping): string | undefined {
  const pointers = legs.flatMap((leg) => {
    const { scores, label } = sideOf(mapping, leg)
    return [scores, label].filter((pointer) => pointer !== undefined)
  })
  const steps = pointers.map(rowSteps)
  return steps[0]! <= 1 && steps.every((count) => count === steps[0])
    ? undefined
    : 'scores: and label: with one * each for the index of a row, or all without,'
}

function problemOfVectors(mapping: EmbeddingMapping): string | undefined {
  const [primary, candidate] = legs.map((leg) => rowSteps(sideOf(mapping, leg).vector!))
  return primary === candidate ? undefined : 'a vector: with * for the index of a row on both sides, or on neither,'
}

function problemOfSide(side: OutputMapping): string | undefined {
  if (side.protocol === 'plain' && side.kind !== 'text') return 'protocol: plain only with kind: text,'
  switch (side.kind) {
    case 'regression':
      return side.value === undefined || rowSteps(side.value) > 1 ? 'a value: pointer, with one * at most,' : undefined
    case 'classification':
      return side.scores === undefined && side.label === undefined ? 'a scores: and/or a label: pointer' : undefined
    case 'embedding':
      return side.vector === undefined || rowSteps(side.vector) > 1
        ? 'a vector: pointer, with one * at most,'
        : undefined
    case 'detection':
      return side.boxes === undefined ? 'a boxes: pointer' : undefined
    case 'text':
      return side.text === undefined && side.protocol !== 'plain' ? 'a text: pointer, or protocol: plain' : undefined
    case 'json':
      return side.document === undefined ? 'a document: pointer ("" for the whole body)' : undefined
  }
}

/** Boxes are compared in one frame: pixels of one image, or shares of its width and height. */
function problemOfCoordinates(mapping: DetectionMapping): string | undefined {
  const [primary, candidate] = legs.map((leg) => {
    const { coordinates, imageSize } = sideOf(mapping, leg)
    return coordinates === 'relative' || imageSize !== undefined
  })
  return primary === candidate ? undefined : 'an imageSize: for the side in pixels, since the other side is relative'
}
