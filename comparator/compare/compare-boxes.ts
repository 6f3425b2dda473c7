import { matchBoxes } from './match-boxes.ts'
import type { Box } from './read/read-boxes.ts'

/** How two sides' boxes differ; for several rows, each with its own boxes, the means over the rows. */
export interface BoxDifferences {
  kind: 'detection'
  primaryBoxes: number
  candidateBoxes: number
  /** Taking the primary's boxes as correct; 1 where there is no box that could be wrong. */
  f1: number
  precision: number
  recall: number
  /** |candidateBoxes − primaryBoxes|. */
  countError: number
  /** Means over matched boxes; `null` if none is matched or, for scores, none has a score on both sides. */
  iou: number | null
  scoreError: number | null
  /** Panoptic quality, 2·ΣIoU / (boxes of both sides) (Kirillov et al. 2019); 1 without any box. */
  quality: number
}

export function compareBoxes(primary: Box[], candidate: Box[], iouMin: number): BoxDifferences {
  const matches = matchBoxes(primary, candidate, iouMin)
  let overlap = 0
  let scoreError = 0
  let scored = 0
  for (const { p, c, iou } of matches) {
    overlap += iou
    const scores = [primary[p]!.score, candidate[c]!.score]
    if (scores[0] == null || scores[1] == null) continue
    scoreError += Math.abs(scores[1] - scores[0])
    scored++
  }
  const matched = matches.length
  const boxes = primary.length + candidate.length
  return {
    kind: 'detection',
    primaryBoxes: primary.length,
    candidateBoxes: candidate.length,
    f1: boxes === 0 ? 1 : (2 * matched) / boxes,
    precision: candidate.length === 0 ? 1 : matched / candidate.length,
    recall: primary.length === 0 ? 1 : matched / primary.length,
    countError: Math.abs(candidate.length - primary.length),
    iou: matched === 0 ? null : overlap / matched,
    scoreError: scored === 0 ? null : scoreError / scored,
    quality: boxes === 0 ? 1 : (2 * overlap) / boxes,
  }
}
