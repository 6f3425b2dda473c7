import type { Bytes } from './units.ts'

export const sizeClasses = ['le1KiB', 'le10KiB', 'le100KiB', 'le1MiB', 'gt1MiB'] as const
export type SizeClass = (typeof sizeClasses)[number]

export const sizeWords: Record<SizeClass, string> = {
  le1KiB: 'up to 1 KiB',
  le10KiB: '1 to 10 KiB',
  le100KiB: '10 to 100 KiB',
  le1MiB: '100 KiB to 1 MiB',
  gt1MiB: 'over 1 MiB',
}

/**
 * The size class of a request body. Coverage is judged per class, because body size decides which exchanges get lost.
 */
export function sizeClassOf(bodyBytes: Bytes): SizeClass {
  if (bodyBytes <= 1024) return 'le1KiB'
  if (bodyBytes <= 10 * 1024) return 'le10KiB'
  if (bodyBytes <= 100 * 1024) return 'le100KiB'
  return bodyBytes <= 1024 * 1024 ? 'le1MiB' : 'gt1MiB'
}
