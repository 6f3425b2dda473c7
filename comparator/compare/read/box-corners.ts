import type { BoxFormat } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { isUsableNumber } from '../answer.ts'

export type Corners = [x1: number, y1: number, x2: number, y2: number]

/** Common names of a box's four numbers, by format. */
const names: Record<BoxFormat, string[][]> = {
  xyxy: [
    ['x1', 'y1', 'x2', 'y2'],
    ['xmin', 'ymin', 'xmax', 'ymax'],
    ['left', 'top', 'right', 'bottom'],
  ],
  xywh: [
    ['x', 'y', 'width', 'height'],
    ['x', 'y', 'w', 'h'],
    ['left', 'top', 'width', 'height'],
  ],
  cxcywh: [
    ['cx', 'cy', 'w', 'h'],
    ['cx', 'cy', 'width', 'height'],
  ],
}

const toCorners: Record<BoxFormat, (numbers: Corners) => Corners> = {
  xyxy: (corners) => corners,
  xywh: ([x, y, width, height]) => [x, y, x + width, y + height],
  cxcywh: ([x, y, width, height]) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2],
}

/** A box's corners, as shares of `imageSize` if given; `null` if the value is not such a box. */
export function cornersOf(value: unknown, format: BoxFormat, imageSize: readonly number[] | undefined): Corners | null {
  const numbers = Array.isArray(value) ? value : named(value, format)
  if (numbers?.length !== 4 || !numbers.every(isUsableNumber)) return null
  const [x1, y1, x2, y2] = toCorners[format](numbers as Corners)
  if (x1 > x2 || y1 > y2) return null
  const [width, height] = imageSize ?? [1, 1]
  return [x1 / width!, y1 / height!, x2 / width!, y2 / height!]
}

function named(value: unknown, format: BoxFormat): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found = names[format].find((keys) => keys.every((key) => Object.hasOwn(value, key)))
  return found?.map((key) => (value as Record<string, unknown>)[key])
}
