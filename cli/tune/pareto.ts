/** The points that no other beats in both: more throughput at no more latency; by ascending throughput. */
export function paretoFront<Point extends { throughput: number; latencyMs: number }>(
  points: readonly Point[],
): Point[] {
  const front: Point[] = []
  for (const point of points.toSorted((a, b) => b.throughput - a.throughput || a.latencyMs - b.latencyMs)) {
    if (point.latencyMs < (front.at(-1)?.latencyMs ?? Number.POSITIVE_INFINITY)) front.push(point)
  }
  return front.reverse()
}
