import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'

const sizeMiB = 64

/** A command prefix that mounts a separate file system at `dir` for as long as the command runs; needs no root. */
export const withDiskAt = (dir: string): readonly string[] => withMount(dir, 'true')

/** The same, but read-only from the start. */
export const withReadOnlyDiskAt = (dir: string): readonly string[] => withMount(dir, 'mount -o remount,ro "$0"')

const withMount = (dir: string, then: string): readonly string[] => {
  const script = `mount -t tmpfs -o size=${sizeMiB}m tmpfs "$0" && ${then} && exec "$@"`
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, dir]
}

/** A command prefix that replaces one file by another, for that command only. */
export const withFileAt = (path: string, file: string): readonly string[] => {
  const script = 'mount --bind "$1" "$0" && shift && exec "$@"'
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, path, file]
}

/** Whether this machine allows such mounts; many containers do not. */
export const canHaveDisks = (): boolean => {
  const [command, ...args] = withDiskAt(tmpdir())
  return spawnSync(command!, [...args, 'true']).status === 0
}

/** The file system that a process started with `withDiskAt` sees at `dir`. */
export class Disk {
  readonly #pid: number
  readonly #dir: string

  constructor(pid: number, dir: string) {
    this.#pid = pid
    this.#dir = dir
  }

  fill(): void {
    this.#mustRun(`dd if=/dev/zero of="$0/filler" bs=64k 2>&1 | grep -q "No space left"`)
  }

  free(): void {
    this.#mustRun('rm "$0/filler"')
  }

  /** Returns whether it is now read-only; that fails while a file is open for writing. */
  tryForbidWrites(): boolean {
    return this.#run('mount -o remount,ro "$0"').status === 0
  }

  allowWrites(): void {
    this.#mustRun('mount -o remount,rw "$0"')
  }

  #mustRun(script: string): void {
    const { status, stderr } = this.#run(script)
    if (status !== 0) throw new Error(`${script}: ${stderr}`)
  }

  #run(script: string) {
    const inside = ['--target', String(this.#pid), '--user', '--preserve-credentials', '--mount']
    return spawnSync('nsenter', [...inside, 'sh', '-c', script, this.#dir], { encoding: 'utf8' })
  }
}
