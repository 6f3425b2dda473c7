import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Moves keyboard focus to the first of the items that were asked for, since they may take the button's place. Call what
 * it returns when asking for more; `idOf` is an item's element.
 */
export function useFocusOnNew<Item>(items: readonly Item[] | null | undefined, idOf: (item: Item) => string) {
  const focusAt = useRef<number | null>(null)
  useLayoutEffect(() => {
    const first = focusAt.current === null ? undefined : items?.[focusAt.current]
    if (first === undefined) return
    focusAt.current = null
    document.getElementById(idOf(first))?.focus({ preventScroll: true })
  }, [items])
  return () => {
    focusAt.current = items?.length ?? null
  }
}
