import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it, if they are not there, and resolves with whether it was missing. Rejects with the
 * system's error where one cannot be made: Node's own `recursive` tries for ever where nothing can be made in a directory
 * that is there, as in `/proc`.
 */
export async function makeDirectory(path: string, mode: number): Promise<boolean> {
  const above = dirname(path)
  if (!(await find(above))) await makeDirectory(above, mode)
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (!(await find(path))?.isDirectory()) throw error
    return false
  }
}

const find = (path: string) => stat(path).catch(() => undefined)
