import { readFile } from 'node:fs/promises'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** Clients wait meanwhile. */
const patienceMs: Milliseconds = 5000

export class DiskHangs extends Error {
  constructor() {
    super(`the disk has not answered for ${patienceMs} ms`)
    this.name = 'DiskHangs'
  }
}

let underWay = 0

/** Whether a read has not ended, be it one that was given up. */
export const isReading = () => underWay > 0

/** A file's text, for a start. Rejects with the system's error, or with `DiskHangs`. */
export function readInTime(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // if this process was busy, the answer may be there and unheard of
    const timer = setTimeout(() => setImmediate(() => reject(new DiskHangs())), patienceMs)
    underWay++
    readFile(file, 'utf8')
      .then(resolve, reject)
      .finally(() => {
        underWay--
        clearTimeout(timer)
      })
  })
}
