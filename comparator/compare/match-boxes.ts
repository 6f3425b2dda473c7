import type { Corners } from './read/box-corners.ts'
import type { Box } from './read/read-boxes.ts'

/** Indexes into both sides' boxes. */
interface BoxMatch {
  p: number
  c: number
  iou: number
}

/**
 * Matches boxes of the same label greedily: takes the pair with the greatest overlap of all with IoU ≥ iouMin, then the
 * next of those left. Ties, within 1e-9, go by score and place. Unlike COCO's matching, which goes by the candidate's
 * score, this is symmetric. Where boxes are crowded, the Hungarian algorithm would find a greater total overlap, but in
 * O(n³).
 */
export function matchBoxes(primary: Box[], candidate: Box[], iouMin: number): BoxMatch[] {
  const overlapOf = (p: number, c: number) => intersectionOverUnion(primary[p]!.corners, candidate[c]!.corners)
  const byLabel = Map.groupBy(candidate.keys(), (c) => candidate[c]!.label)
  const ranks: number[] = []
  for (const [p, { label }] of primary.entries()) {
    for (const c of byLabel.get(label) ?? []) {
      const iou = overlapOf(p, c)
      if (iou >= iouMin) ranks.push(rankOf(p, c, iou))
    }
  }
  const takenOfPrimary = new Set<number>()
  const takenOfCandidate = new Set<number>()
  const matches: BoxMatch[] = []
  for (const rank of new Float64Array(ranks).sort()) {
    const [p, c] = indexesOf(rank)
    if (takenOfPrimary.has(p) || takenOfCandidate.has(c)) continue
    takenOfPrimary.add(p)
    takenOfCandidate.add(c)
    matches.push({ p, c, iou: overlapOf(p, c) })
  }
  return matches
}

/** Greater than the sum of two indexes, and than twice their difference. */
const span = 2048
const steps = 2 ** 30

/**
 * Encodes a pair as one number, smallest for the pair to take first: by overlap, then by the sum of the indexes and by
 * their distance, which are the same with the sides exchanged. Two lists in which all boxes overlap make a million
 * pairs, and numbers sort many times as fast as objects.
 */
function rankOf(p: number, c: number, iou: number): number {
  return (Math.round((1 - iou) * steps) * span + p + c) * span + 2 * Math.abs(p - c) + (p > c ? 1 : 0)
}

function indexesOf(rank: number): [p: number, c: number] {
  const sum = Math.floor(rank / span) % span
  const difference = (rank % 2 ? 1 : -1) * Math.floor((rank % span) / 2)
  return [(sum + difference) / 2, (sum - difference) / 2]
}

/** In [0, 1]; 1 for equal boxes, also for one without an area. */
export function intersectionOverUnion(a: Corners, b: Corners): number {
  if (a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3]) return 1
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
