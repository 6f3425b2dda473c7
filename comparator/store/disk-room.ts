import { statfs } from 'node:fs/promises'
import type { Bytes } from '../../vocabulary/units.ts'

/** What stays free for what is decided: bundles on their way and the next segments of the engine's log come off it. */
export const roomMin: Bytes = 256 * 1024 * 1024

/** Of the directory's disk, for a process without privileges. A file system that does not tell has no blocks at all. */
export async function freeBytesOf(directory: string): Promise<Bytes> {
  const { blocks, bavail, bsize } = await statfs(directory)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/**
 * Whether more may be taken in. On a full disk the embedded engine can't write its log, and tries for ever in a loop
 * that lets nothing else of the process run. The log, up to 1 GB, is let go of by a checkpoint.
 */
export async function hasRoom(free: () => Promise<Bytes>, checkpoint: () => Promise<unknown>): Promise<boolean> {
  if ((await free()) >= roomMin) return true
  await checkpoint()
  return (await free()) >= roomMin
}
