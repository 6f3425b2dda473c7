export interface PictureSize {
  width: number
  height: number
}

/** Larger pictures are not drawn: a small file can demand any amount of memory. */
export const pixelsMax = 64_000_000

/** The size according to the picture's own header, before anything decodes it. */
export function pictureSize(type: string, binary: string): PictureSize | null {
  const at = (i: number) => binary.charCodeAt(i)
  const big = (i: number, bytes: number) => {
    let value = 0
    for (let k = 0; k < bytes; k++) value = value * 256 + at(i + k)
    return value
  }
  const little = (i: number, bytes: number) => {
    let value = 0
    for (let k = bytes - 1; k >= 0; k--) value = value * 256 + at(i + k)
    return value
  }
  const size = (width: number, height: number) => (width > 0 && height > 0 ? { width, height } : null)
  switch (type) {
    case 'image/png':
      return size(big(16, 4), big(20, 4))
    case 'image/gif':
      return size(little(6, 2), little(8, 2))
    case 'image/webp':
      if (binary.startsWith('VP8X', 12)) return size(little(24, 3) + 1, little(27, 3) + 1)
      if (binary.startsWith('VP8L', 12)) {
        const bits = little(21, 4)
        return size((bits % 16384) + 1, (Math.floor(bits / 16384) % 16384) + 1)
      }
      return size(little(26, 2) % 16384, little(28, 2) % 16384)
    case 'image/jpeg': {
      // segments up to the frame header: SOF0 to SOF15, except DHT, JPG and DAC
      for (let i = 2; i < binary.length && at(i) === 0xff; ) {
        const marker = at(i + 1)
        if (marker === 0xff) i++
        else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
          return size(big(i + 7, 2), big(i + 5, 2))
        } else i += 2 + big(i + 2, 2)
      }
      return null
    }
    default:
      return null
  }
}
