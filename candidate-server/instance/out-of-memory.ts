import { readFileSync, writeFileSync } from 'node:fs'

const file = '/proc/self/oom_score_adj'
const score = { more: 500, max: 1000 }

/**
 * Out of memory, the kernel then ends this instance, which is replaced, and not the front, with which all instances would
 * end. Raising the score takes no privilege.
 */
export function endBeforeFront(): void {
  try {
    writeFileSync(file, String(Math.min(score.max, Number(readFileSync(file, 'utf8')) + score.more)))
  } catch {
    // not Linux, or a sandbox without the file
  }
}
