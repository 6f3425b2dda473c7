import { statfs } from 'node:fs/promises'
import type { Bytes } from '../../../vocabulary/units.ts'

/**
 * Space kept free so that decisions can still be stored. Bundles under way and the engine's next log segments use it.
 */
export const roomMin: Bytes = 256 * 1024 * 1024

/**
 * Free space on the directory's disk for an unprivileged process; infinite where the file system does not report it.
 */
export async function freeBytesOf(directory: string): Promise<Bytes> {
  const { blocks, bavail, bsize } = await statfs(directory)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/**
 * Whether more evidence may be accepted. On a full disk the embedded engine cannot write its log, and retries in a loop
 * that blocks the whole process. A checkpoint frees the log, which takes up to 1 GB.
 */
export async function hasRoom(free: () => Promise<Bytes>, checkpoint: () => Promise<unknown>): Promise<boolean> {
  if ((await free()) >= roomMin) return true
  await checkpoint()
  return (await free()) >= roomMin
}
