import { drawInTurn } from './draw-in-turn.ts'

/** What a reader scrolls to is drawn when they come. */
const nearPx = 800
/** What an A4 sheet has room for, whole and two abreast: the letters of a wider chart would shrink with it. */
const paperPx = { whole: 640, beside: 310 }

/** Draws a chart, no wider than so many px. */
type Draw = (widthMax: number) => void

/** Of all charts, by the element that each goes into. */
const charts = new Map<Element, Draw>()
/** What is not drawn yet. */
const pending = new Set<Element>()
let observer: IntersectionObserver | null = null

/**
 * Draws into `holder` once it is near the window, and not before: a page has two dozen charts, of which its reader sees
 * three. Who does not scroll gets them all the same: paper does, and whoever saves one (`drawNow`). Returns how to give
 * it up.
 */
export function drawWhenNear(holder: Element, draw: Draw): () => void {
  observer ??= observe()
  charts.set(holder, draw)
  pending.add(holder)
  // asked anew, it tells at once whether the holder is near
  observer.unobserve(holder)
  observer.observe(holder)
  return () => {
    if (charts.get(holder) !== draw) return
    charts.delete(holder)
    forget(holder)
  }
}

/** What `holder` still waits for. */
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
        // a skeleton, until it is its turn
        if (target.childElementCount === 0) target.setAttribute('aria-busy', 'true')
        drawInTurn(() => drawNow(target))
      }
    },
    { rootMargin: `${nearPx}px 0px` },
  )
}
