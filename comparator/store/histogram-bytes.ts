/** How a histogram is kept: for each bin, ascending, its number in 4 bytes and its count in 8, big-endian. */
const bytesPerBin = 12

export function encodeHistogram(counts: ReadonlyMap<number, number>): Buffer {
  const bytes = Buffer.allocUnsafe(counts.size * bytesPerBin)
  let at = 0
  for (const bin of [...counts.keys()].sort((a, b) => a - b)) {
    const count = counts.get(bin)!
    bytes.writeInt32BE(bin, at)
    bytes.writeUInt32BE(Math.floor(count / 2 ** 32), at + 4)
    bytes.writeUInt32BE(count % 2 ** 32, at + 8)
    at += bytesPerBin
  }
  return bytes
}

/** Adds what `bytes` hold to `into`, which it changes. */
export function addHistogram(into: Map<number, number>, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.byteLength; at += bytesPerBin) {
    const bin = view.getInt32(at)
    const count = view.getUint32(at + 4) * 2 ** 32 + view.getUint32(at + 8)
    into.set(bin, (into.get(bin) ?? 0) + count)
  }
}
