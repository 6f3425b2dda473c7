import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../runtime/make-directory.ts'

/** Writes a value as JSON; see `replaceFile`. */
export const replaceJsonFile = (file: string, value: unknown): Promise<void> => replaceFile(file, JSON.stringify(value))

/**
 * Replaces a file atomically, even if the process or the machine ends. Asynchronous, because flushing to a slow disk
 * would hold up live traffic; long content comes in pieces, each made in a turn of its own. Only the owner may read the
 * file, like the spool beside it. Rejects with the system's error.
 */
export async function replaceFile(file: string, content: string | Iterable<string>): Promise<void> {
  await makeDirectory(dirname(file), 0o700)
  await writeFile(`${file}.new`, content, { flush: true, mode: 0o600 })
  await rename(`${file}.new`, file)
}
