import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from './mirror-under-test.ts'

/**
 * Replaces a file, if any, by a pipe whose readers wait. The returned function gives one reader the file's content.
 * Readers that still wait when the test ends read nothing.
 */
export function holdBack(file: string): () => Promise<void> {
  const content = existsSync(file) ? readFileSync(file) : ''
  // a second name, by which it is found when another file has taken its place
  const pipe = join(tempDir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  rmSync(file, { force: true })
  linkSync(pipe, file)
  onTestFinished(() => {
    const writing = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    // a process that opened it after this would wait for ever, and could not even exit
    rmSync(file, { force: true })
    closeSync(writing)
  })
  return () => writeFile(pipe, content)
}
