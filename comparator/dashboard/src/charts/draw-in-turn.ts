const waiting = new Set<() => void>()
let isDrawing = false

/**
 * Draws charts one a task: a page has two dozen of them, and its reader wants to scroll and type in between. Returns how
 * to give it up.
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
  // first, so that a chart that fails does not keep the others waiting
  setTimeout(next)
  draw()
}
