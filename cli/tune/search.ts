/** One setting that can vary: returns all variants of a point along it, including the point itself. */
export interface Axis<Point> {
  name: string
  /** Along an ordered axis the search stops when it gets no better; on an unordered one it tries every variant. */
  kind: 'ordered' | 'unordered'
  variants: (at: Point) => Point[]
}

export interface Search<Point, Score> {
  keyOf: (point: Point) => string
  measure: (point: Point) => Promise<Score>
  /** Whether `a` is better by more than noise. */
  isBetter: (a: Score, b: Score) => boolean
}

interface Best<Point, Score> {
  point: Point
  score: Score
}

const passesMax = 4

/**
 * Coordinate search: finds the best point along each axis in turn, and starts again from the first until a whole pass
 * changes nothing, since settings interact. No point is measured twice.
 */
export async function climb<Point, Score>(
  start: Point,
  axes: readonly Axis<Point>[],
  search: Search<Point, Score>,
): Promise<Best<Point, Score>> {
  const known = remembering(search)
  let best: Best<Point, Score> = { point: start, score: await known.measure(start) }
  for (let pass = 0; pass < passesMax; pass++) {
    const before = best
    for (const axis of axes) best = await bestAlong(axis, best, known)
    if (best === before) break
  }
  return best
}

/**
 * Tries every combination of each stage's axes, starting from the best point of the stage before. No point is measured
 * twice.
 */
export async function exhaust<Point, Score>(
  start: Point,
  stages: readonly (readonly Axis<Point>[])[],
  search: Search<Point, Score>,
): Promise<Best<Point, Score>> {
  const known = remembering(search)
  let best: Best<Point, Score> = { point: start, score: await known.measure(start) }
  for (const axes of stages) {
    for (const point of combinations(best.point, axes, search.keyOf)) {
      const score = await known.measure(point)
      if (search.isBetter(score, best.score)) best = { point, score }
    }
  }
  return best
}

export function combinations<Point>(
  start: Point,
  axes: readonly Axis<Point>[],
  keyOf: (point: Point) => string,
): Point[] {
  const points = axes.reduce((points, { variants }) => points.flatMap(variants), [start])
  return [...new Map(points.map((point) => [keyOf(point), point])).values()]
}

function remembering<Point, Score>(search: Search<Point, Score>): Search<Point, Score> {
  const scores = new Map<string, Score>()
  const measure = async (point: Point) => {
    const key = search.keyOf(point)
    const score = scores.get(key) ?? (await search.measure(point))
    scores.set(key, score)
    return score
  }
  return { ...search, measure }
}

async function bestAlong<Point, Score>(
  { kind, variants }: Axis<Point>,
  from: Best<Point, Score>,
  { keyOf, measure, isBetter }: Search<Point, Score>,
): Promise<Best<Point, Score>> {
  const points = variants(from.point)
  const here = points.findIndex((point) => keyOf(point) === keyOf(from.point))
  const after = points.slice(here + 1)
  const before = points.slice(0, Math.max(0, here)).reverse()
  let best = from
  for (const direction of [after, before]) {
    // if one direction along an ordered axis is better, the other is worse
    if (kind === 'ordered' && best !== from) break
    for (const point of direction) {
      const score = await measure(point)
      if (isBetter(score, best.score)) best = { point, score }
      else if (kind === 'ordered') break
    }
  }
  return best
}
