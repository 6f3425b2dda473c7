import { exitCodes } from './failure.ts'

/**
 * A reader that has read enough, such as `head`, is no failure: the command keeps its exit status, which may be a
 * verdict. Output lost for another reason, such as a full disk, is an error.
 */
export function tolerateUnreadOutput(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    process.stderr.write(`understudy: standard output cannot be written (${code})\n`)
    process.exit(exitCodes.usage)
  })
  process.stderr.on('error', () => {})
}
