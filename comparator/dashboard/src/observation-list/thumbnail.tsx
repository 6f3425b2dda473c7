import { useEffect, useRef, useState } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { useSession } from '../api/session-context.ts'
import { findPictures, type Picture } from '../observation/find-pictures.ts'
import { observationDetail } from '../observation/observation-details.ts'
import { PictureImage } from '../observation/picture-image.tsx'
import { VisibleText } from '../parts/visible-text.tsx'

const textMax = 100

type State =
  | { kind: 'waiting' }
  | { kind: 'none'; why: string }
  | { kind: 'picture'; picture: Picture }
  | { kind: 'text'; text: string }

/** The request's input, loaded when the row becomes visible: its picture, or the beginning of its text. */
export function Thumbnail({ id, kept }: { id: string; kept: boolean }) {
  const { call } = useSession()
  const frame = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<State>(kept ? { kind: 'waiting' } : { kind: 'none', why: 'not kept' })

  useEffect(() => {
    if (!kept || !frame.current) return
    let gone = false
    const observer = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      observer.disconnect()
      const result = await observationDetail(call, id)
      if (gone) return
      setState(result.kind === 'ok' ? inputOf(result.data.request) : { kind: 'none', why: 'not loaded' })
    })
    observer.observe(frame.current)
    return () => {
      gone = true
      observer.disconnect()
    }
  }, [id, kept, call])

  return (
    <div class={`thumbnail thumbnail-${state.kind}`} ref={frame}>
      {state.kind === 'picture' && <PictureImage picture={state.picture} alt="The request’s input" />}
      {state.kind === 'text' && (
        <code>
          <VisibleText text={state.text} inline />
        </code>
      )}
      {state.kind === 'none' && <span>{state.why}</span>}
    </div>
  )
}

function inputOf(request: ObservationDetail['request']): State {
  const [picture] = request ? findPictures(request) : []
  if (picture) return { kind: 'picture', picture }
  if (request?.body && request.bodyEncoding !== 'base64') return { kind: 'text', text: request.body.slice(0, textMax) }
  return { kind: 'none', why: request?.body ? 'bytes' : 'no body' }
}
