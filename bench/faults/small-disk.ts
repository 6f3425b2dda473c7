import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'

/**
 * A command prefix that mounts a file system of one megabyte at `dir` for as long as the command runs; needs no root.
 */
export const withSmallDisk = (dir: string): string[] => {
  const script = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, dir]
}

/** Whether this machine allows it. */
export function canHaveSmallDisk(): boolean {
  const [command, ...args] = withSmallDisk(tmpdir())
  return spawnSync(command!, [...args, 'true']).status === 0
}
