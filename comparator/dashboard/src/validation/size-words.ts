import type { SizeClass } from '../../../../vocabulary/coverage.ts'

export const sizeWords: Record<SizeClass, string> = {
  le1KiB: 'up to 1 KiB',
  le10KiB: '1 to 10 KiB',
  le100KiB: '10 to 100 KiB',
  le1MiB: '100 KiB to 1 MiB',
  gt1MiB: 'over 1 MiB',
}
