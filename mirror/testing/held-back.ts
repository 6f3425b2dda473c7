import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { onTestFinished } from 'vitest'

/**
 * Replaces a file, if any, by a pipe whose readers wait. The returned function gives one reader the file's content.
 * Readers that still wait when the test ends read nothing.
 */
export function holdBack(file: string): () => Promise<void> {
  const content = existsSync(file) ? readFileSync(file) : ''
  rmSync(file, { force: true })
  execFileSync('mkfifo', [file])
  onTestFinished(() => {
    if (existsSync(file)) closeSync(openSync(file, constants.O_RDWR | constants.O_NONBLOCK))
  })
  return () => writeFile(file, content)
}
