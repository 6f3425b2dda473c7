import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a small file whole or not at all, whenever the process or the machine ends. Asynchronous, since a slow disk
 * would hold up live traffic while it flushes. Rejects with the system's error.
 */
export async function keepFile(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify(value), { flush: true })
  await rename(`${file}.new`, file)
}
