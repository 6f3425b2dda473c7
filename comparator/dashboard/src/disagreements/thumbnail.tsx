import { useEffect, useRef, useState } from 'preact/hooks'
import type { ObservationDetail } from '../../../../vocabulary/api.ts'
import { useSession } from '../session/session-context.ts'
import { observationDetail } from './observation-details.ts'
import { requestImage } from './request-image.ts'

const tinyPx = 96
const textMax = 100

type State =
  | { kind: 'waiting' }
  | { kind: 'none'; why: string }
  | { kind: 'picture'; src: string }
  | { kind: 'text'; text: string }

/** The request's input, asked for once the row comes into view: its picture, tiny ones with their pixels, or its text. */
export function Thumbnail({ id, kept }: { id: string; kept: boolean }) {
  const { call } = useSession()
  const frame = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<State>(kept ? { kind: 'waiting' } : { kind: 'none', why: 'input not kept' })
  const [tiny, setTiny] = useState(false)

  useEffect(() => {
    if (!kept || !frame.current) return
    let gone = false
    const observer = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      observer.disconnect()
      const result = await observationDetail(call, id)
      if (gone) return
      setState(result.kind === 'ok' ? inputOf(result.data.request) : { kind: 'none', why: 'could not be loaded' })
    })
    observer.observe(frame.current)
    return () => {
      gone = true
      observer.disconnect()
    }
  }, [id, kept, call])

  return (
    <div class={`thumbnail thumbnail-${state.kind}`} ref={frame}>
      {state.kind === 'picture' ? (
        <img
          class={tiny ? 'pixelated' : undefined}
          src={state.src}
          alt="The request’s input"
          onLoad={({ currentTarget }) =>
            setTiny(Math.max(currentTarget.naturalWidth, currentTarget.naturalHeight) < tinyPx)
          }
          onError={() => setState({ kind: 'none', why: 'damaged picture' })}
        />
      ) : (
        <>
          {state.kind === 'text' && <code>{state.text}</code>}
          {state.kind === 'none' && <span>{state.why}</span>}
        </>
      )}
    </div>
  )
}

function inputOf(request: ObservationDetail['request']): State {
  const src = requestImage(request)
  if (src) return { kind: 'picture', src }
  if (request?.body && request.bodyEncoding !== 'base64') return { kind: 'text', text: request.body.slice(0, textMax) }
  return { kind: 'none', why: request?.body ? 'not a picture' : 'no body' }
}
