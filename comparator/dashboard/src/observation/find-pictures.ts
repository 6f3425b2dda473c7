import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { binaryOf } from './binary.ts'
import { type PictureSize, pictureSize } from './picture-size.ts'

/** A picture in the client's request, recognised by its own bytes whatever its declared type. */
export interface Picture {
  type: string
  /** The file as a binary string. */
  binary: string
  /** `null` if the header does not say. */
  size: PictureSize | null
  /** `''` for the body itself, otherwise a pointer into it or the number of a part. */
  place: string
}

type Message = Pick<NonNullable<ObservationDetail['request']>, 'body' | 'bodyEncoding'>

const picturesShownMax = 4
const nodesMax = 20_000
const partsMax = 50

/**
 * Signatures of raster formats. SVG is not included: it is a document that can run scripts and load resources, so it is
 * shown as text.
 */
const signatures: [type: string, at: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
]
/** The same signatures in base64, so that not every string has to be decoded. */
const base64Start = /^(iVBORw0KGg|\/9j\/|_9j_|R0lGOD|UklGR|AAAA)/

/** The first pictures in a body, at most `max`: the body itself, a part of a form, or base64 anywhere in JSON. */
export function findPictures({ body, bodyEncoding }: Message, max = picturesShownMax): Picture[] {
  if (!body) return []
  if (bodyEncoding !== 'base64') return picturesInJson(body, max)
  const binary = binaryOf(body)
  if (binary === null) return []
  const whole = pictureOf(binary, '')
  return whole ? [whole] : picturesInForm(binary, max)
}

/** The picture of one row, if there are as many pictures as rows; otherwise none can be assigned. */
export function pictureOfRow(message: Message, row: { index: number; of: number } | undefined): Picture | null {
  if (row === undefined) return findPictures(message, 1)[0] ?? null
  const pictures = findPictures(message, row.of + 1)
  return pictures.length === row.of ? pictures[row.index]! : null
}

function pictureOf(binary: string, place: string): Picture | null {
  const type = signatures.find(([, at, bytes]) => binary.startsWith(bytes, at))?.[0]
  return type === undefined ? null : { type, binary, size: pictureSize(type, binary), place }
}

function picturesInForm(binary: string, max: number): Picture[] {
  const firstLine = binary.slice(0, binary.indexOf('\r\n'))
  if (!/^--[^\r\n]{1,200}$/.test(firstLine)) return []
  const found = binary.split(firstLine, partsMax).map((part, i) => {
    const headEnd = part.indexOf('\r\n\r\n')
    return headEnd === -1 ? null : pictureOf(part.slice(headEnd + 4, -2), `part ${i}`)
  })
  return found.filter((picture) => picture !== null).slice(0, max)
}

function picturesInJson(body: string, max: number): Picture[] {
  let document: unknown
  try {
    document = JSON.parse(body)
  } catch {
    return []
  }
  const found: Picture[] = []
  const open: { value: unknown; place: string }[] = [{ value: document, place: '' }]
  for (let visited = 0; open.length > 0 && visited < nodesMax && found.length < max; visited++) {
    const { value, place } = open.pop()!
    if (typeof value === 'string') {
      const picture = pictureInText(value, place)
      if (picture) found.push(picture)
    } else if (typeof value === 'object' && value !== null) {
      const keys = Object.keys(value).slice(0, nodesMax)
      for (const key of keys.reverse()) {
        open.push({ value: (value as Record<string, unknown>)[key], place: `${place}/${key}` })
      }
    }
  }
  return found
}

function pictureInText(text: string, place: string): Picture | null {
  const base64 = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text
  if (!base64Start.test(base64)) return null
  const binary = binaryOf(base64)
  return binary === null ? null : pictureOf(binary, place)
}
