import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

const readerMoves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Scrolls the element with the id `at` to the top of the window and focuses it, and keeps it there while content above
 * it loads, until the reader scrolls, clicks or presses a key.
 */
export function useAnchor(at: string | null, place: string, page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (at === null || page.current === null) return
    let hasFocus = false
    const stop = () => {
      observer.disconnect()
      for (const move of readerMoves) removeEventListener(move, stop)
    }
    const show = () => {
      if (!bringIntoSight(at, !hasFocus)) return
      hasFocus = true
      if (page.current?.querySelector('.loading') === null) stop()
    }
    const observer = new ResizeObserver(show)
    observer.observe(page.current)
    for (const move of readerMoves) addEventListener(move, stop, { passive: true })
    return stop
  }, [at, place])
}

/** Scrolls to the element with this id, opens any folded parent, and focuses it; returns false if there is none. */
export function bringIntoSight(id: string, takesFocus = true): boolean {
  const target = document.getElementById(id)
  if (target === null) return false
  const folded = target.closest('details')
  if (folded) folded.open = true
  target.scrollIntoView()
  if (takesFocus) target.focus({ preventScroll: true })
  return true
}
