import type { Corners } from './box-corners.ts'
import type { Box } from './read-boxes.ts'

/** Indexes into both sides' boxes. */
export interface BoxMatch {
  p: number
  c: number
  iou: number
}

/**
 * Matches boxes of the same label greedily: of all pairs with IoU ≥ iouMin the one that overlaps most is taken, then
 * the next of those left; equals go by score and place. Unlike COCO's matching, by the candidate's score, it is the same
 * with the sides changed. The Hungarian algorithm would find a greater sum of overlaps where boxes crowd, at O(n³).
 */
export function matchBoxes(primary: Box[], candidate: Box[], iouMin: number): BoxMatch[] {
  const pairs: BoxMatch[] = []
  const byLabel = Map.groupBy(candidate.keys(), (c) => candidate[c]!.label)
  for (const [p, box] of primary.entries()) {
    for (const c of byLabel.get(box.label) ?? []) {
      const iou = intersectionOverUnion(box.corners, candidate[c]!.corners)
      if (iou >= iouMin) pairs.push({ p, c, iou })
    }
  }
  pairs.sort(
    (a, b) => b.iou - a.iou || a.p + a.c - (b.p + b.c) || Math.abs(a.p - a.c) - Math.abs(b.p - b.c) || a.p - b.p,
  )
  const takenOfPrimary = new Set<number>()
  const takenOfCandidate = new Set<number>()
  return pairs.filter(({ p, c }) => {
    if (takenOfPrimary.has(p) || takenOfCandidate.has(c)) return false
    takenOfPrimary.add(p)
    takenOfCandidate.add(c)
    return true
  })
}

/** In [0, 1]; 1 for equal boxes, also for one without an area. */
export function intersectionOverUnion(a: Corners, b: Corners): number {
  if (a.every((corner, i) => corner === b[i])) return 1
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0])
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1])
  if (width <= 0 || height <= 0) return 0
  const intersection = width * height
  const union = area(a) + area(b) - intersection
  return union > 0 ? Math.min(1, intersection / union) : 0
}

function area([x1, y1, x2, y2]: Corners): number {
  return (x2 - x1) * (y2 - y1)
}
