import type { Bytes } from '../../vocabulary/units.ts'

// Memory that is used again. What the collector has to take back instead, tens of megabytes a second where bodies are
// large, brings full collections, which keep live requests waiting.

export const pageBytes: Bytes = 64 * 1024
/** Those beyond are the garbage collector's. */
const freePagesMax = 128
const freeLargeMax = 8

const freePages: Buffer[] = []
const freeLarge: ArrayBufferLike[] = []
/** Those that may come back. */
const large = new WeakSet<ArrayBufferLike>()

export const takePage = (): Buffer => freePages.pop() ?? Buffer.allocUnsafeSlow(pageBytes)

/** Nobody may look at them any more, nor at any part of them. */
export function givePagesBack(pages: readonly Buffer[]): void {
  for (const page of pages) if (freePages.length < freePagesMax) freePages.push(page)
}

/** From a page's size on it is of memory that may come back, and is at most a quarter longer. */
export function takeLarge(bytes: Bytes): Buffer {
  if (bytes < pageBytes) return Buffer.allocUnsafeSlow(bytes)
  const at = freeLarge.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * 1.25)
  const memory = at < 0 ? Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.1)).buffer : freeLarge.splice(at, 1)[0]!
  large.add(memory)
  return Buffer.from(memory, 0, bytes)
}

/** As above, once; what `takeLarge` did not give is left alone. */
export function giveLargeBack({ buffer }: Buffer): void {
  if (!large.delete(buffer)) return
  freeLarge.push(buffer)
  // the sizes asked for change
  if (freeLarge.length > freeLargeMax) freeLarge.shift()
}
