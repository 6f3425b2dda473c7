import { setTimeout as sleep } from 'node:timers/promises'
import type { GateEvaluation } from '../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../vocabulary/api/validation.ts'
import type { AcceptReceipt, Observation } from '../../vocabulary/observation.ts'
import { sizeClassOf } from '../../vocabulary/size-class.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { call } from './call.ts'
import { digitLabels, digitTraffic } from './digits.ts'
import { doorwayTraffic } from './doorways.ts'
import { mirrorReports, routes } from './fleet.ts'
import type { HandClock } from './hand-clock.ts'
import { invoiceTraffic } from './invoices.ts'
import { type Person, tokens } from './people.ts'
import { priceTraffic } from './prices.ts'
import { summaryTraffic } from './summaries.ts'
import { exchangesOf } from './traffic.ts'

const minute: Milliseconds = 60_000
const hour: Milliseconds = 60 * minute
const day: Milliseconds = 24 * hour
/** How much evidence there is before the moment shown. */
export const storyMs: Milliseconds = 9 * day
const bundleMax = 400
const stateWaitMaxMs = 30_000

/** Plays what people did and what came of it, each at its time, on the evidence available then. */
export async function playHistory(url: string, clock: HandClock, end: EpochMs): Promise<void> {
  const from = end - storyMs
  const player = new Player(url, clock, await trafficOf(from, end))

  await player.playUntil(end - 5.2 * day)
  await player.request('ana', 'invoice-fields', 'Two days of invoices, 99 % of the fields equal.')
  await player.playUntil(end - 5.15 * day)
  await player.approve('ben', 'invoice-fields', 'Fine with me; start on a quiet day.')
  await player.untilLive('invoice-fields', 10)
  await player.playUntil(end - 4.95 * day)
  await player.untilLive('invoice-fields', 50)
  await player.playUntil(end - 4.9 * day)
  await player.act('ben', 'invoice-fields', 'rollback', 'Currency comes back empty on credit notes.')

  await player.playUntil(end - 3.1 * day)
  await player.request('ana', 'summary-small', 'Reads well, and is five times as fast.')
  await player.playUntil(end - 3.0 * day)
  await player.act('ben', 'summary-small', 'reject', 'Wait for small-2: this one drops order numbers.')

  await player.playUntil(end - 2.2 * day)
  await player.request('ana', 'invoice-fields', 'layout-small-2 keeps the currency. Two days without a miss.')
  await player.playUntil(end - 2.15 * day)
  await player.approve('ben', 'invoice-fields', 'Checked forty credit notes by hand.')
  for (const [after, percent] of [
    [0, 10],
    [4.1 * hour, 50],
    [8.2 * hour, 100],
    [12.3 * hour, 100],
  ] as const) {
    await player.playUntil(end - 2.15 * day + after)
    await player.untilLive('invoice-fields', percent)
  }
  await player.untilState('invoice-fields', 'promoted')

  await player.playUntil(end - 14 * hour)
  const reason = 'The GPU contract ends on Friday; the fraud desk looks at every block by hand until tree-6.'
  await player.request('ruth', 'payment-tree', reason, { override: true })
  await player.untilLive('payment-tree', 5)
  await player.playUntil(end - 7 * hour)
  await player.request('ben', 'price-student', 'Three days within 3 €; Poland is 3 € high, sales knows.')
  await player.untilLive('price-student', 1)
  await player.playUntil(end - 3 * hour)
  const { silent, reporting } = mirrorReports(end, player.counts())
  await player.mirror(silent)
  await player.playUntil(end - 50 * minute)
  await player.labels(digitLabels(0, 12_600))
  await player.untilLive('price-student', 10)
  await player.untilLive('payment-tree', 25)
  await player.playUntil(end - 40 * minute)
  await player.request(
    'ana',
    'digits-int8',
    'A week over all tenants. Harbour differs most, in 2 % of its forms; they have looked at them and agree.',
  )
  await player.playUntil(end)
  for (const report of reporting) await player.mirror(report)
}

async function trafficOf(from: EpochMs, end: EpochMs): Promise<Observation[]> {
  const all = [
    ...digitTraffic(from, end, end - 7.3 * day),
    ...priceTraffic(end - 3.4 * day, end, { liveFrom: end - 7 * hour, delaysEnd: end - 3 * hour }),
    ...(await doorwayTraffic(end - 2.3 * day, end)),
    ...summaryTraffic(end - 5.5 * day, end, end - 2.4 * day),
    ...invoiceTraffic(end - 7.6 * day, end, {
      mendedAt: end - 4.8 * day,
      live: [
        [end - 5.15 * day, end - 4.9 * day],
        [end - 2.15 * day, end],
      ],
      paymentsLiveFrom: end - 14 * hour,
    }),
  ]
  return all.flatMap((traffic, seed) => [...exchangesOf(traffic, seed + 1)]).sort((a, b) => (a.at < b.at ? -1 : 1))
}

class Player {
  readonly #url: string
  readonly #clock: HandClock
  readonly #traffic: Observation[]
  #sent = 0

  constructor(url: string, clock: HandClock, traffic: Observation[]) {
    this.#url = url
    this.#clock = clock
    this.#traffic = traffic
  }

  /** Moves time on: delivers what clients asked until then and what the mirrors counted. */
  async playUntil(at: EpochMs): Promise<void> {
    this.#clock.turnTo(at)
    const until = new Date(at).toISOString()
    let last = this.#sent
    while (last < this.#traffic.length && this.#traffic[last]!.at < until) last++
    const passed = this.#traffic.slice(this.#sent, last)
    this.#sent = last
    for (let i = 0; i < passed.length; i += bundleMax) {
      const observations = passed.slice(i, i + bundleMax)
      const { accepted, rejected } = await this.#call<AcceptReceipt>('mirror', 'POST', '/v1/observations', {
        observations,
      })
      if (accepted !== observations.length) throw new Error(`refused: ${JSON.stringify(rejected.slice(0, 3))}`)
    }
    await this.#call('mirror', 'POST', '/v1/coverage', {
      reports: coverageOf(passed),
      mirrors: routes.map(toHeartbeat),
    })
  }

  async request(who: Person, validation: string, comment: string, more: object = {}): Promise<void> {
    const { id: gateId } = await this.#call<GateEvaluation>(who, 'GET', `/v1/validations/${validation}/gate`)
    await this.#call(who, 'POST', `/v1/validations/${validation}/promotion`, { gateId, comment, ...more })
  }

  async approve(who: Person, validation: string, comment: string): Promise<void> {
    const { id: gateId } = await this.#call<GateEvaluation>(who, 'GET', `/v1/validations/${validation}/gate`)
    await this.act(who, validation, 'approve', comment, { gateId })
  }

  async act(who: Person, validation: string, action: string, comment: string, more: object = {}): Promise<void> {
    const { promotion } = await this.#stateOf(validation)
    await this.#call(who, 'POST', `/v1/promotions/${promotion!.id}/${action}`, { comment, ...more })
  }

  untilLive(validation: string, percent: number): Promise<void> {
    return this.#until(validation, ({ livePercent }) => livePercent === percent, `${percent} % live`)
  }

  untilState(validation: string, wanted: string): Promise<void> {
    return this.#until(validation, ({ state }) => state === wanted, wanted)
  }

  async labels(labels: unknown[]): Promise<void> {
    for (let i = 0; i < labels.length; i += bundleMax) {
      await this.#call('mirror', 'POST', '/v1/labels', { labels: labels.slice(i, i + bundleMax) })
    }
  }

  async mirror(report: unknown): Promise<void> {
    await this.#call('mirror', 'POST', '/v1/coverage', { reports: [], mirror: report })
  }

  /** Exchanges of each validation over the whole story. */
  counts(): ReadonlyMap<string, number> {
    const groups = Map.groupBy(this.#traffic, ({ validation }) => validation)
    return new Map([...groups].map(([validation, of]) => [validation, of.length]))
  }

  /** The comparator's own timers advance rollouts, twice a second. */
  async #until(validation: string, holds: (state: ValidationView) => boolean, what: string): Promise<void> {
    const deadline = performance.now() + stateWaitMaxMs
    for (;;) {
      const state = await this.#stateOf(validation)
      if (holds(state)) return
      if (performance.now() > deadline) {
        throw new Error(`${validation}: expected ${what}, is ${state.state} at ${state.livePercent} %: ${state.reason}`)
      }
      await sleep(50)
    }
  }

  #stateOf(validation: string): Promise<ValidationView> {
    return this.#call('vic', 'GET', `/v1/validations/${validation}`)
  }

  #call<Answer>(who: keyof typeof tokens, method: string, path: string, body?: unknown): Promise<Answer> {
    return call<Answer>(this.#url, method, path, tokens[who], body)
  }
}

const toHeartbeat = ({ validation, route }: (typeof routes)[number]) => ({ validation, route })

/** Coverage by hour, reported in its first minute: exchanges seen, and those that led to no observation. */
function coverageOf(observations: readonly Observation[]) {
  const keyOf = ({ validation, at, request }: Observation) =>
    JSON.stringify([validation, `${at.slice(0, 13)}:00:00.000Z`, sizeClassOf(request.bodyBytes ?? 0)])
  return [...Map.groupBy(observations, keyOf)].map(([key, of], k) => {
    const [validation, minute, sizeClass] = JSON.parse(key)
    const skipped = { ...(k % 7 === 0 && { shed: 1 }), ...(k % 31 === 0 && { tooLarge: 1 }) }
    const lost = Object.values(skipped).reduce((all, one) => all + one, 0)
    return { reporter: 'eu-1', validation, minute, sizeClass, seen: of.length + lost, skipped }
  })
}
