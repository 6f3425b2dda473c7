import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../../runtime/make-directory.ts'

/** A value as JSON in a file that is replaced as in `replaceFile`. */
export const keepFile = (file: string, value: unknown): Promise<void> => replaceFile(file, JSON.stringify(value))

/**
 * Replaces a file whole or not at all, whenever the process or the machine ends. Asynchronous, since a slow disk would
 * hold up live traffic while it flushes; what is long comes in pieces, each made in a turn of its own. For its owner
 * alone, like the spool that it lies beside. Rejects with the system's error.
 */
export async function replaceFile(file: string, content: string | Iterable<string>): Promise<void> {
  await makeDirectory(dirname(file), 0o700)
  await writeFile(`${file}.new`, content, { flush: true, mode: 0o600 })
  await rename(`${file}.new`, file)
}
