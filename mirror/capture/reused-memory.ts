import type { Bytes } from '../../vocabulary/units.ts'

// Memory that is reused. With large bodies the garbage collector would otherwise have to reclaim tens of megabytes a
// second, which causes full collections that delay live requests.

export const pageBytes: Bytes = 64 * 1024
/** Free pages beyond this are left to the garbage collector. */
const freePagesMax = 128
const freeLargeMax = 8

const freePages: Buffer[] = []
const freeLarge: ArrayBufferLike[] = []
/** Buffers that `giveLargeBack` accepts. */
const large = new WeakSet<ArrayBufferLike>()

export const takePage = (): Buffer => freePages.pop() ?? Buffer.allocUnsafeSlow(pageBytes)

/** The caller must hold no reference to the pages or any part of them. */
export function givePagesBack(pages: readonly Buffer[]): void {
  for (const page of pages) if (freePages.length < freePagesMax) freePages.push(page)
}

/** From `pageBytes` on, the memory is reusable and at most a quarter larger than asked for. */
export function takeLarge(bytes: Bytes): Buffer {
  if (bytes < pageBytes) return Buffer.allocUnsafeSlow(bytes)
  const at = freeLarge.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes * 1.25)
  const memory = at < 0 ? Buffer.allocUnsafeSlow(Math.ceil(bytes * 1.1)).buffer : freeLarge.splice(at, 1)[0]!
  large.add(memory)
  return Buffer.from(memory, 0, bytes)
}

/** Like `givePagesBack`, once per buffer. Ignores buffers that `takeLarge` did not give. */
export function giveLargeBack({ buffer }: Buffer): void {
  if (!large.delete(buffer)) return
  freeLarge.push(buffer)
  // drops the oldest: the sizes in demand change
  if (freeLarge.length > freeLargeMax) freeLarge.shift()
}
