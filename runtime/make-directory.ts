import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it, if they are not there. Throws the system's error where one cannot be made: Node's
 * own `recursive` tries for ever where nothing can be made in a directory that is there, as in `/proc`.
 */
export function makeDirectory(path: string, mode: number): void {
  const above = dirname(path)
  if (!existsSync(above)) makeDirectory(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
