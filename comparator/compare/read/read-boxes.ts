import type { Leg } from '../../../vocabulary/leg.ts'
import type { BoxFormat, DetectionMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { atRow } from '../../../vocabulary/mapping/row-pointers.ts'
import { isUsableNumber } from '../answer.ts'
import { type Corners, cornersOf } from './box-corners.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { renameLabel } from './read-class.ts'
import { readEachRow } from './read-each-row.ts'
import { labelOf } from './read-label.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapList, unwrapSingles } from './unwrap-singles.ts'

export interface Box {
  /** x1, y1, x2, y2 with x1 ≤ x2 and y1 ≤ y2. */
  corners: Corners
  /** '' if the model gives none. */
  label: string
  score: number | null
}

/**
 * The boxes of one or several rows, best score first. Boxes of equal score are ordered by their coordinates, whatever
 * their order in the body.
 */
export interface BoxesReading {
  kind: 'boxes'
  rows: Box[][]
}

/**
 * Limits on the boxes of one row, and on the work of all rows: every pair of boxes with one label in a row is measured.
 */
export const boxesMax = 1000
const pairsMax = boxesMax ** 2

type Side = Omit<DetectionMapping, Leg>

/** Reads the boxes of each row, with the row's index in place of the pointers' `*`. */
export function readRowsOfBoxes(side: Side, leg: Leg, document: unknown): BoxesReading | Problem {
  const { boxes, scores, classes } = side
  const pointers = [boxes, scores, classes].filter((pointer) => pointer !== undefined)
  let pairs = 0
  const rows = readEachRow(pointers, document, (row) => {
    const at = (pointer: string | undefined) => pointer && atRow(pointer, row)
    const found = readBoxes({ ...side, boxes: at(boxes), scores: at(scores), classes: at(classes) }, leg, document)
    if ('kind' in found) return found
    pairs += found.length ** 2
    if (pairs <= pairsMax) return found
    return problem('tooLarge', boxes!, `rows of boxes whose counts' squares sum to at most ${pairsMax}`, 'more')
  })
  return 'kind' in rows ? rows : { kind: 'boxes', rows }
}

function readBoxes(side: Side, leg: Leg, document: unknown): Box[] | Problem {
  const path = side.boxes!
  const list = listAt(side, document, path)
  if (!Array.isArray(list)) return misfit(document, path, list, 'a list of boxes')
  if (list.length > boxesMax) return problem('tooLarge', path, `at most ${boxesMax} boxes`, describe(list))
  const scores = besideBoxes(side, document, side.scores, list.length)
  const classes = besideBoxes(side, document, side.classes, list.length)
  if (isProblem(scores)) return scores
  if (isProblem(classes)) return classes
  const boxes: Box[] = []
  for (const [i, item] of list.entries()) {
    const box = readBox(side, item, scores?.[i], classes?.[i])
    if ('expected' in box) return problem('type', `${path}/${i}`, box.expected, box.found)
    if (side.scoreMin !== undefined && box.score !== null && box.score < side.scoreMin) continue
    if (leg === 'candidate' && side.labelMap) box.label = renameLabel(side.labelMap, box.label)
    boxes.push(box)
  }
  return boxes.sort(byScoreThenPlace)
}

function listAt(side: Side, document: unknown, path: string): unknown {
  const found = resolvePointer(document, path)
  if (side.protocol !== 'oip' || !Array.isArray(found)) return found
  // unwraps a batch of one, which is a list around the list of arrays
  return found.length === 1 && Array.isArray(found[0]) && found[0].every(Array.isArray) ? found[0] : found
}

function besideBoxes(side: Side, document: unknown, path: string | undefined, length: number) {
  if (path === undefined) return undefined
  const found = resolvePointer(document, path)
  const list = side.protocol === 'oip' ? unwrapList(found) : found
  if (!Array.isArray(list)) return misfit(document, path, found, 'a list beside the boxes')
  if (list.length !== length) {
    return problem('shape', path, `${length} items, as many as boxes`, describe(list))
  }
  return list as unknown[]
}

function isProblem(value: unknown[] | Problem | undefined): value is Problem {
  return value !== undefined && 'kind' in value
}

function readBox(side: Side, item: unknown, besideScore: unknown, besideLabel: unknown): Box | Misfit {
  const handled = side.protocol === 'torchserve' && side.box === undefined ? fromHandler(item) : null
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  const numbers =
    handled?.box ?? resolvePointer(item, side.box ?? (isObject && Object.hasOwn(item, 'box') ? '/box' : ''))
  const format = side.format ?? 'xyxy'
  const corners = cornersOf(numbers, format, side.coordinates === 'relative' ? undefined : side.imageSize)
  if (corners === null) return noBox(format, numbers, item)
  const score = unwrapSingles(besideScore ?? handled?.score ?? resolvePointer(item, side.score ?? '/score'))
  const label = unwrapSingles(besideLabel ?? handled?.label ?? resolvePointer(item, side.label ?? '/label'))
  if ((score !== undefined && score !== null && !isUsableNumber(score)) || (side.score && score === undefined)) {
    return { expected: 'a box with a score', found: describe(score) }
  }
  const text = label === undefined || label === null ? '' : labelOf(label)
  if (text === null || (side.label && label === undefined)) {
    return { expected: 'a box with a label', found: describe(label) }
  }
  return { corners, label: text, score: score ?? null }
}

type Misfit = Pick<Problem, 'expected' | 'found'>

function noBox(format: BoxFormat, numbers: unknown, item: unknown): Misfit {
  const isFour = Array.isArray(numbers) && numbers.length === 4 && numbers.every(isUsableNumber)
  if (!isFour) return { expected: `a box as ${format}, or a pointer to it in box:`, found: describe(numbers ?? item) }
  return format === 'xyxy'
    ? { expected: 'a box as xyxy, or its format: (xywh, cxcywh)', found: 'a second corner before the first' }
    : { expected: `a box as ${format}, or its format:`, found: 'a negative width or height' }
}

/** TorchServe's object detector: `{"person": [x1, y1, x2, y2], "score": 0.99}`. */
function fromHandler(item: unknown): { label: string; box: unknown; score: unknown } | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
  const named = Object.entries(item).filter(([, value]) => Array.isArray(value))
  if (named.length !== 1 || named[0]![0] === 'box') return null
  return { label: named[0]![0], box: named[0]![1], score: (item as { score?: unknown }).score }
}

function byScoreThenPlace(a: Box, b: Box): number {
  if (a.score !== b.score) return (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY)
  for (let i = 0; i < 4; i++) if (a.corners[i] !== b.corners[i]) return a.corners[i]! - b.corners[i]!
  return a.label < b.label ? -1 : a.label > b.label ? 1 : 0
}
