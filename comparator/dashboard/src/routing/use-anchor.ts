import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

const readerMoves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Brings the element whose id is `at` to the top of the window and the focus to it, and keeps it there while what is
 * over it still loads, until the reader moves.
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
      const target = document.getElementById(at)
      if (target === null) return
      const folded = target.closest('details')
      if (folded) folded.open = true
      target.scrollIntoView()
      if (!hasFocus) target.focus({ preventScroll: true })
      hasFocus = true
      if (page.current?.querySelector('.loading') === null) stop()
    }
    const observer = new ResizeObserver(show)
    observer.observe(page.current)
    for (const move of readerMoves) addEventListener(move, stop, { passive: true })
    return stop
  }, [at, place])
}
