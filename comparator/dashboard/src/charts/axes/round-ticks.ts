/** Round ticks for an axis, with at most `count` steps between its ends. */
export function roundTicks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / count
  if (!(raw > 0)) return [0]
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw)!
  const ticks: number[] = []
  // avoids −0
  for (let i = Math.ceil(from / step) + 0; i * step <= to; i++) ticks.push(i * step)
  return ticks
}
