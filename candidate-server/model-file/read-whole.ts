import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Reads files of any size, including those over `readFile`'s limit of 2 GiB. The returned memory is not shared. */
export function readWhole(file: string): Uint8Array<ArrayBuffer> {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafeSlow(fstatSync(fd).size)
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(fd, bytes, at, Math.min(bytes.length - at, 2 ** 30), at)
      if (read === 0) throw new Error(`${file} became shorter while it was read`)
      at += read
    }
    return bytes
  } finally {
    closeSync(fd)
  }
}
