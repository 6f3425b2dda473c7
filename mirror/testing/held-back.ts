import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { onTestFinished } from 'vitest'

/**
 * Makes of a file, which need not be there, one whose reader waits: a pipe. The returned function gives one reader what
 * was in it. Readers that still wait when the test ends find nothing in it.
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
