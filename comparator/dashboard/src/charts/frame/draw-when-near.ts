import { drawInTurn } from './draw-in-turn.ts'

/** How far outside the window a chart may be and still be drawn. */
const nearPx = 800
/** Widths that fit an A4 sheet, full width and two side by side: in wider charts the text would shrink. */
const paperPx = { whole: 640, beside: 310 }

/** Draws a chart no wider than `widthMax` px. */
type Draw = (widthMax: number) => void

/** All charts, by their holder element. */
const charts = new Map<Element, Draw>()
/** Charts that have not been drawn yet. */
const pending = new Set<Element>()
let observer: IntersectionObserver | null = null

/**
 * Draws into `holder` once it comes near the window: a page has two dozen charts, of which its reader sees three.
 * Printing draws all of them, and saving draws the one saved (`drawNow`). Returns a function that cancels the drawing.
 */
export function drawWhenNear(holder: Element, draw: Draw): () => void {
  observer ??= observe()
  charts.set(holder, draw)
  pending.add(holder)
  // observing it again reports at once whether the holder is near
  observer.unobserve(holder)
  observer.observe(holder)
  return () => {
    if (charts.get(holder) !== draw) return
    charts.delete(holder)
    forget(holder)
  }
}

/** Draws at once what `holder` is still waiting for. */
export function drawNow(holder: Element): void {
  if (!pending.has(holder)) return
  forget(holder)
  charts.get(holder)?.(Number.POSITIVE_INFINITY)
}

function forget(holder: Element): void {
  pending.delete(holder)
  observer?.unobserve(holder)
}

function drawAll(widthMaxOf: (holder: Element) => number): void {
  for (const [holder, draw] of charts) {
    forget(holder)
    draw(widthMaxOf(holder))
  }
}

function widthOnPaper(holder: Element): number {
  return holder.closest('.columns, .small-multiples') ? paperPx.beside : paperPx.whole
}

function observe(): IntersectionObserver {
  addEventListener('beforeprint', () => drawAll(widthOnPaper))
  addEventListener('afterprint', () => drawAll(() => Number.POSITIVE_INFINITY))
  return new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting || !pending.has(target)) continue
        // shown as a skeleton until its turn
        if (target.childElementCount === 0) target.setAttribute('aria-busy', 'true')
        drawInTurn(() => drawNow(target))
      }
    },
    { rootMargin: `${nearPx}px 0px` },
  )
}
