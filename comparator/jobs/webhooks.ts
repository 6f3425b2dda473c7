import { createHash, createHmac, randomUUIDv7 } from 'node:crypto'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { type WebhookBody, type WebhookEvent, webhookEvents, webhookHeaders } from '../../vocabulary/api/webhook.ts'
import { dayMs, hourMs, type Milliseconds } from '../../vocabulary/units.ts'
import type { ComparatorConfig } from '../config.ts'
import type { Db, Tx } from '../store/database/open-database.ts'
import {
  claimDeliveries,
  type Delivery,
  deleteDelivery,
  deleteStaleDeliveries,
  insertDelivery,
  postponeDelivery,
} from '../store/promotion/webhook-deliveries.ts'

/** Concurrent deliveries to one receiver. Each receiver has its own, so a slow one delays only itself. */
const inFlightMax = 4
const timeoutMs: Milliseconds = 5_000
/** Longer than an attempt can take; after it, another comparator may try. */
const leaseMs: Milliseconds = 30_000
const backoffFirstMs: Milliseconds = 1_000
const backoffMaxMs = hourMs
const giveUpAfterMs: Milliseconds = 3 * dayMs

interface Target {
  url: string
  secret: string
  events: readonly WebhookEvent[]
  /** A digest that stands for the URL in the database, as webhook URLs are often secrets. */
  key: string
}

/**
 * Sends events to webhooks, at least once each. An event is written in the transaction that causes it, and sent later.
 * A delivery is done when the receiver answers 2xx; else it is tried again after 1 s, 2 s, 4 s … up to an hour, for
 * three days.
 */
export class Webhooks {
  readonly #targets: readonly Target[]
  readonly #clock: Clock
  readonly #logger: Logger

  constructor(webhooks: ComparatorConfig['webhooks'], clock: Clock, logger: Logger) {
    this.#targets = webhooks.map(({ url, secret, events }) => ({ url, secret, events, key: keyOf(url) }))
    this.#clock = clock
    this.#logger = logger
  }

  /** Queues an event for every webhook that wants it, within the caller's transaction. */
  async notify(tx: Db | Tx, action: string, validation: string, data: Record<string, unknown>): Promise<void> {
    const event = webhookEvents.find((known) => known === action)
    if (!event) return
    const at = new Date(this.#clock.now())
    for (const { key, events } of this.#targets) {
      if (!events.includes(event)) continue
      const id = randomUUIDv7()
      const body: WebhookBody = { id, event, at: at.toISOString(), validation, data }
      await insertDelivery(tx, { id, target: key, event, body: JSON.stringify(body), at })
    }
  }

  /** One job a receiver, to be run periodically: sends what is due to that receiver. */
  deliveries(db: Db, signal: AbortSignal): (() => Promise<void>)[] {
    return this.#targets.map((target) => async () => {
      while (!signal.aborted && (await this.#deliverTo(db, target, signal))) {
        // as long as there is more and the receiver takes it
      }
    })
  }

  /** Deletes deliveries that their receivers did not take within three days. */
  async expire(db: Db): Promise<void> {
    const before = new Date(this.#clock.now() - giveUpAfterMs)
    const deleted = await deleteStaleDeliveries(
      db,
      before,
      this.#targets.map(({ key }) => key),
    )
    if (deleted > 0) {
      this.#logger.error({ deleted }, 'webhook deliveries were dropped: their receivers never accepted them')
    }
  }

  /** Sends one batch. True if it was full and all of it was taken, so that there may be more. */
  async #deliverTo(db: Db, target: Target, signal: AbortSignal): Promise<boolean> {
    const now = new Date(this.#clock.now())
    const due = await claimDeliveries(db, { target: target.key, now, leaseMs, limit: inFlightMax })
    const taken = await Promise.all(
      due.map(async (delivery) => {
        const problem = await this.#send(target, delivery, signal)
        if (problem === undefined) {
          await deleteDelivery(db, delivery.id)
          return true
        }
        const wait = backoffMs(delivery.attempts)
        const { id, event, attempts } = delivery
        this.#logger.warn({ delivery: id, event, attempts, problem, nextInMs: wait }, 'a webhook was not delivered')
        await postponeDelivery(db, id, new Date(this.#clock.now() + wait), problem)
        return false
      }),
    )
    return taken.length === inFlightMax && taken.every(Boolean)
  }

  /** Returns what went wrong, or `undefined` if the receiver took it. */
  async #send(
    { url, secret }: Target,
    { id, event, body }: Delivery,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'understudy',
          [webhookHeaders.event]: event,
          [webhookHeaders.delivery]: id,
          [webhookHeaders.signature]: signatureOf(secret, Math.floor(this.#clock.now() / 1000), body),
        },
        body,
        // a receiver must not redirect us to another host
        redirect: 'manual',
        signal: AbortSignal.any([timeout, signal]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `status ${response.status}`
    } catch (error) {
      const { cause, message, name } = error as Error & { cause?: NodeJS.ErrnoException }
      return name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : (cause?.code ?? message)
    }
  }
}

/** `t=SECONDS,v1=HEX`. The time is signed too, so that an old delivery cannot be replayed as a new one. */
function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

function backoffMs(attempts: number): Milliseconds {
  return Math.min(backoffMaxMs, backoffFirstMs * 2 ** (attempts - 1))
}

const keyOf = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 32)
