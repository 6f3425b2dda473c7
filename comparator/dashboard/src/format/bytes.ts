import { noBreak } from './no-break.ts'

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `0 B`, `812 KiB`, `77.5 MiB`. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return noBreak(`${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`)
}
