const [photometric, compression] = [262, 259]
const ycc = 6
/** JPEG within a TIFF, in its old form and the current one. */
const jpeg = [6, 7]
const entryBytes = 12

/**
 * Whether a TIFF file's first image stores luma and chroma without JPEG's compression. The decoder converts only JPEG's
 * to RGB, and takes these for RGB as they stand.
 */
export function isUncompressedYcc(tiff: Buffer): boolean {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length)
  const isLittleEndian = tiff[0] === 0x49
  const short = (at: number) => (at + 2 <= tiff.length ? view.getUint16(at, isLittleEndian) : 0)
  const directory = tiff.length < 8 ? 0 : view.getUint32(4, isLittleEndian)
  const tags = new Map<number, number>()
  for (let i = 0; i < short(directory); i++) {
    const entry = directory + 2 + i * entryBytes
    tags.set(short(entry), short(entry + 8))
  }
  return tags.get(photometric) === ycc && !jpeg.includes(tags.get(compression) ?? 1)
}
