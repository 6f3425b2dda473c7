import type { Leg } from '../../vocabulary/leg.ts'
import type { BodyCapture } from '../capture/body-capture.ts'
import type { HeldBodies } from '../capture/held-bodies.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { addForwarding } from '../forward/forwarding-headers.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import type { ShadowRequest } from '../shadow/send-shadow.ts'
import { shadowFields } from '../shadow/shadow-headers.ts'
import type { Understudy } from '../shadow/understudy.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { ExchangeContext } from './exchange-context.ts'

/** What a copy is made from when its turn comes. */
interface Original {
  request: LiveRequest
  body: BodyCapture
  held: HeldBodies
  trace: RequestTrace | undefined
}

/**
 * Sends a copy to the understudy or, as its reverse shadow, to the primary. `ended` is called once, possibly before
 * this returns.
 */
export function sendCopy(
  { request, body, held, trace }: Original,
  to: { leg: Leg; understudy: Understudy; id: string },
  { guard, isDropped, headers, primary, shadowEnded }: ExchangeContext,
  ended: (outcome: LegOutcome) => void,
): void {
  const { leg, understudy, id } = to
  const { validation, upstreams, shadows, reverseShadows } = understudy
  const [queue, { upstreams: asked }] = leg === 'primary' ? [reverseShadows, primary] : [shadows, upstreams]
  const span = trace?.shadow(validation, leg, asked[0]!.target)
  queue.offer(
    () => {
      // the exchange is over, and the body is gone
      if (held.isReleased) return undefined
      let copy: ShadowRequest | undefined
      guard('building a shadow request', () => {
        const { method, target, fields } = request
        const sent = shadowFields(span ? span.sent(fields) : fields, isDropped, id)
        // a candidate that is told less than when it is live may answer something else
        addForwarding(sent, request, headers)
        copy = { method, path: target, fields: sent, body: body.toBuffer() }
      })
      return copy
    },
    (outcome) => {
      if (outcome.kind === 'answered') held.keep(outcome.body)
      guard('the end of a shadow request', () => {
        ended(outcome)
        shadowEnded(validation, leg, outcome)
        span?.ended(outcome)
      })
    },
  )
}
