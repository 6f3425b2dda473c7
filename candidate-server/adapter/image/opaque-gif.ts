const [extension, graphicControl] = [0x21, 0xf9]
const transparent = 1

/** Size in bytes of the colour table that a packed field announces. */
const tableBytes = (packed: number) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)

/**
 * Gives the transparent pixels of a GIF's first frame their palette colour, as Pillow's `convert('RGB')` does; the
 * decoder makes them black. Any other file is returned unchanged.
 */
export function opaqueGif(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 4) !== 'GIF8') return bytes
  let opaque = bytes
  let at = 13 + tableBytes(bytes[10] ?? 0)
  while (bytes[at] === extension) {
    if (bytes[at + 1] === graphicControl && (bytes[at + 3] ?? 0) & transparent) {
      if (opaque === bytes) opaque = Buffer.from(bytes)
      opaque[at + 3]! &= ~transparent
    }
    at += 2
    for (let block = bytes[at++]; block; block = bytes[at++]) at += block
  }
  return opaque
}
