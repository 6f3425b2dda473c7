import type { ObservationDetail } from '../../../../vocabulary/api.ts'

/** How raster formats begin in base64. Only these become pictures, whatever the request claimed to be. */
const signatures = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const

/** The request's input as a data URL, where it is a picture: the body itself, or `image` in a JSON body. */
export function requestImage(request: ObservationDetail['request']): string | null {
  if (!request?.body) return null
  return asPicture(request.bodyEncoding === 'base64' ? request.body : imageField(request.body))
}

function imageField(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body)
    if (parsed === null || typeof parsed !== 'object' || !('image' in parsed)) return null
    return typeof parsed.image === 'string' ? parsed.image.replace(/^data:[^,]*,/, '') : null
  } catch {
    return null
  }
}

function asPicture(base64: string | null): string | null {
  if (base64 === null || !/^[A-Za-z0-9+/=\s]+$/.test(base64)) return null
  const type = signatures.find(([start]) => base64.startsWith(start))?.[1]
  return type ? `data:${type};base64,${base64}` : null
}
