import { useLayoutEffect, useState } from 'preact/hooks'
import { bytesOf } from './binary.ts'
import type { Picture } from './find-pictures.ts'
import { pixelsMax } from './picture-size.ts'

/** Smaller pictures are enlarged with visible pixels. */
const tinyPx = 96

interface PictureImageProps {
  picture: Picture
  alt: string
  /** Called with the decoded size. */
  sized?: (width: number, height: number) => void
}

/** Shows a picture: a raster format, decoded by the browser from a blob of this page. */
export function PictureImage({ picture, alt, sized }: PictureImageProps) {
  const tooLarge = picture.size !== null && picture.size.width * picture.size.height > pixelsMax
  const [src, setSrc] = useState<string | null>(null)
  const [tiny, setTiny] = useState(false)
  const [damaged, setDamaged] = useState(false)

  useLayoutEffect(() => {
    if (tooLarge) return
    const url = URL.createObjectURL(new Blob([bytesOf(picture.binary)], { type: picture.type }))
    setSrc(url)
    setDamaged(false)
    return () => URL.revokeObjectURL(url)
  }, [picture, tooLarge])

  if (tooLarge) {
    return (
      <span class="no-picture">
        {picture.size!.width} × {picture.size!.height} pixels, too many to draw
      </span>
    )
  }
  if (damaged) return <span class="no-picture">damaged image</span>
  if (src === null) return null
  return (
    <img
      class={tiny ? 'pixelated' : undefined}
      src={src}
      alt={alt}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
        setTiny(Math.max(naturalWidth, naturalHeight) < tinyPx)
        sized?.(naturalWidth, naturalHeight)
      }}
      onError={() => setDamaged(true)}
    />
  )
}
