/** Minimum share of the axis that the figures keep. */
const figuresShareMin = 0.12

/**
 * The lines, such as limits, that can be drawn without flattening the figures; the others are stated in words. Without
 * figures, every line is in reach.
 */
export function linesInReach(figures: readonly number[], lines: readonly number[]): number[] {
  if (figures.length === 0) return [...lines]
  const low = Math.min(...figures)
  const high = Math.max(...figures)
  const span = Math.max(high - low, Math.max(Math.abs(high), Math.abs(low)) * 0.1)
  return lines.filter((line) => Math.max(high, line) - Math.min(low, line) <= span / figuresShareMin)
}
