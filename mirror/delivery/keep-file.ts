import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a small file whole or not at all, whenever the process or the machine ends. Asynchronous, since a slow disk
 * would hold up live traffic while it flushes. For its owner alone, like the spool that it lies beside. Rejects with the system's error.
 */
export async function keepFile(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, JSON.stringify(value), { flush: true, mode: 0o600 })
  await rename(`${file}.new`, file)
}
