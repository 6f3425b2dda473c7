/** Events that a webhook can receive. Those of promotions and rollouts are the audit's actions. */
export const webhookEvents = [
  'verdict.changed',
  'live.harm',
  'live.recovered',
  'promotion.request',
  'promotion.override',
  'promotion.approve',
  'promotion.reject',
  'promotion.abort',
  'promotion.rollback',
  'promotion.complete',
  'rollout.step',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** The body of a delivery. `id` is the same in every attempt: deliveries come at least once. */
export interface WebhookBody {
  id: string
  event: WebhookEvent
  at: string
  validation: string
  data: Record<string, unknown>
}

export const webhookHeaders = {
  /** `t=SECONDS,v1=HEX`: HMAC-SHA256 with the webhook's secret over `SECONDS.BODY`. */
  signature: 'x-understudy-signature',
  event: 'x-understudy-event',
  delivery: 'x-understudy-delivery',
} as const
