import { drawInTurn } from './draw-in-turn.ts'

/** What a reader scrolls to is drawn when they come. */
const nearPx = 800

/** What is not drawn yet, by the element that it goes into. */
const pending = new Map<Element, () => void>()
let observer: IntersectionObserver | null = null

/**
 * Draws into `holder` once it is near the window, and not before: a page has two dozen charts, of which its reader sees
 * three. Who does not scroll gets them all the same: paper does, and whoever saves one (`drawNow`). Returns how to give
 * it up.
 */
export function drawWhenNear(holder: Element, draw: () => void): () => void {
  observer ??= observe()
  pending.set(holder, draw)
  // asked anew, it tells at once whether the holder is near
  observer.unobserve(holder)
  observer.observe(holder)
  return () => {
    if (pending.get(holder) === draw) forget(holder)
  }
}

/** What `holder` still waits for. */
export function drawNow(holder: Element): void {
  const draw = pending.get(holder)
  forget(holder)
  draw?.()
}

function forget(holder: Element): void {
  pending.delete(holder)
  observer?.unobserve(holder)
}

function observe(): IntersectionObserver {
  addEventListener('beforeprint', () => {
    for (const holder of [...pending.keys()]) drawNow(holder)
  })
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
