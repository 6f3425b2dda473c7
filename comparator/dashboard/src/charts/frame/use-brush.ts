import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { EpochMs } from '../../../../../vocabulary/units.ts'

/** A pointer that moved less is a click, not a drag. */
const dragPxMin = 6

export interface TimeScale {
  /** Left and right edge of the plot area, in px from the holder's left. */
  area: [number, number]
  timeAt: (px: number) => EpochMs
}

/**
 * Dragging over `holder` selects a span of time, a double click clears it, and Escape cancels the drag. Keyboard users
 * have the page's range picker instead.
 */
export function useBrush(
  holder: RefObject<HTMLElement | null>,
  scale: () => TimeScale | null,
  onBrush: ((span: { from: EpochMs; to: EpochMs } | null) => void) | undefined,
): void {
  const now = useRef({ scale, onBrush })
  now.current = { scale, onBrush }
  const isOffered = onBrush !== undefined

  useLayoutEffect(() => {
    const element = holder.current
    if (!element || !isOffered) return
    const stopped = new AbortController()
    const { signal } = stopped
    let began: number | null = null
    let shade: HTMLElement | null = null

    const within = (event: PointerEvent, { area }: TimeScale) =>
      Math.min(area[1], Math.max(area[0], event.clientX - element.getBoundingClientRect().left))
    const end = () => {
      began = null
      shade?.remove()
      shade = null
    }
    const listen = (name: string, listener: (event: PointerEvent) => void, capture = false) =>
      element.addEventListener(name, listener as EventListener, { signal, capture })

    // caught before the chart sees it, because a press would freeze the tooltip
    listen(
      'pointerdown',
      (event) => {
        const known = now.current.scale()
        if (event.button !== 0 || known === null) return
        event.stopPropagation()
        began = within(event, known)
        element.setPointerCapture(event.pointerId)
      },
      true,
    )
    listen('pointermove', (event) => {
      const known = now.current.scale()
      if (began === null || known === null) return
      const at = within(event, known)
      if (shade === null && Math.abs(at - began) < dragPxMin) return
      shade ??= element.appendChild(Object.assign(document.createElement('div'), { className: 'brush' }))
      shade.style.left = `${Math.min(began, at)}px`
      shade.style.width = `${Math.abs(at - began)}px`
    })
    listen('pointerup', (event) => {
      const known = now.current.scale()
      if (began !== null && shade !== null && known !== null) {
        const [from, to] = [began, within(event, known)].toSorted((a, b) => a - b).map(known.timeAt)
        if (to! > from!) now.current.onBrush?.({ from: from!, to: to! })
      }
      end()
    })
    listen('pointercancel', end)
    element.addEventListener('dblclick', () => now.current.onBrush?.(null), { signal })
    addEventListener('keydown', (event) => event.key === 'Escape' && end(), { signal })
    return () => {
      stopped.abort()
      end()
    }
  }, [holder, isOffered])
}
