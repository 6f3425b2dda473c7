import type { Corners } from './box-corners.ts'
import type { Box } from './read-boxes.ts'

/** How two sides' boxes lie to each other. */
export interface BoxDifferences {
  kind: 'detection'
  primaryBoxes: number
  candidateBoxes: number
  matched: number
  /** Means over the matched boxes; `null` where none is, or (scores) none of them has a score on both sides. */
  iou: number | null
  scoreError: number | null
  /** 2·ΣIoU / (boxes of both sides): panoptic quality (Kirillov et al. 2019); 1 without any box. */
  quality: number
}

/**
 * Matches boxes of the same label greedily: of all pairs with IoU ≥ iouMin the one that overlaps most is taken, then
 * the next of those left; equals go by score and place. Unlike COCO's matching, by the candidate's score, it is the same
 * with the sides changed. The Hungarian algorithm would find a greater sum of overlaps where boxes crowd, at O(n³).
 */
export function compareBoxes(primary: Box[], candidate: Box[], iouMin: number): BoxDifferences {
  const pairs: { p: number; c: number; iou: number }[] = []
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
  let overlap = 0
  let scoreError = 0
  let scored = 0
  for (const { p, c, iou } of pairs) {
    if (takenOfPrimary.has(p) || takenOfCandidate.has(c)) continue
    takenOfPrimary.add(p)
    takenOfCandidate.add(c)
    overlap += iou
    const scores = [primary[p]!.score, candidate[c]!.score]
    if (scores[0] == null || scores[1] == null) continue
    scoreError += Math.abs(scores[1] - scores[0])
    scored++
  }
  const matched = takenOfPrimary.size
  const boxes = primary.length + candidate.length
  return {
    kind: 'detection',
    primaryBoxes: primary.length,
    candidateBoxes: candidate.length,
    matched,
    iou: matched === 0 ? null : overlap / matched,
    scoreError: scored === 0 ? null : scoreError / scored,
    quality: boxes === 0 ? 1 : (2 * overlap) / boxes,
  }
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
