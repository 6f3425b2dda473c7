import { Progress } from '../demo/progress.ts'

/** The same line, which can also go away. */
export class ProgressLine extends Progress {
  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
}
