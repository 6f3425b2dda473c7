const [extension, graphicControl] = [0x21, 0xf9]
const transparent = 1

/** The table of colours that a packed field announces, in bytes. */
const tableBytes = (packed: number) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)

/**
 * A GIF whose first picture has its transparent pixels in the colour that its palette gives them, as Pillow's
 * `convert('RGB')` leaves it: the decoder has black there. Any other file is given back as it is.
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
