import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a directory and its missing parents; resolves with whether it was missing. Rejects with the system's error if
 * one cannot be made, whereas Node's own `recursive` retries for ever if a parent exists but nothing can be made in it,
 * as in `/proc`.
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
