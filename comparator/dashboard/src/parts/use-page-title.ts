import { useLayoutEffect } from 'preact/hooks'

export function usePageTitle(title: string): void {
  useLayoutEffect(() => {
    document.title = `${title} · Understudy`
  }, [title])
}
