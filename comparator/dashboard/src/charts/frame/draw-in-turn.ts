const waiting = new Set<() => void>()
let isDrawing = false

/**
 * Draws one chart per task: a page has two dozen of them, and its reader wants to scroll and type in between. Returns a
 * function that cancels the drawing.
 */
export function drawInTurn(draw: () => void): () => void {
  waiting.add(draw)
  if (!isDrawing) {
    isDrawing = true
    setTimeout(next)
  }
  return () => waiting.delete(draw)
}

function next(): void {
  const [draw] = waiting
  if (draw === undefined) {
    isDrawing = false
    return
  }
  waiting.delete(draw)
  // scheduled first, so that a chart that fails does not hold up the others
  setTimeout(next)
  draw()
}
