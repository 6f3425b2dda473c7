import type { EpochMs } from '../../vocabulary/units.ts'
import { answered, asked, queued, round, type Traffic, took } from './traffic.ts'

export const summaryValidations = [
  {
    name: 'summary-small',
    output: { kind: 'text', text: '/summary' },
    store: { bodies: 'worst', redact: ['/customer/name'] },
    window: { duration: '2d', samplesMin: 1000, coverageMin: 0.9 },
    approvals: 2,
    gate: [
      { metric: 'editSimilarity', min: 0.8 },
      { metric: 'tokenF1', min: 0.9 },
      { metric: 'latency.delta.p95', max: 0 },
    ],
  },
  {
    name: 'search-embedding',
    output: { kind: 'embedding', vector: '/vector' },
    window: { duration: '7d', samplesMin: 5000, coverageMin: 0.95 },
    gate: [
      { metric: 'cosine', min: 0.98 },
      { metric: 'cosine.p05', min: 0.95 },
    ],
  },
]

const tickets: [question: string, summary: string][] = [
  [
    'Where is my parcel? It should have come on Tuesday.',
    'The customer asks where a parcel is that was due on Tuesday.',
  ],
  [
    'I was charged twice for order 4411, please refund one.',
    'Order 4411 was charged twice; the customer wants one charge refunded.',
  ],
  [
    'The app signs me out every few minutes since the update.',
    'Since the update the app signs the customer out every few minutes.',
  ],
  [
    'Can I change the delivery address of an order on its way?',
    'The customer wants to change the address of an order that is on its way.',
  ],
  [
    'Your invoice has the wrong VAT number, we need it corrected.',
    'The invoice has a wrong VAT number and must be corrected.',
  ],
  [
    'The left speaker crackles at low volume. Is that a warranty case?',
    'The left speaker crackles at low volume; the customer asks about the warranty.',
  ],
]
const slips: [string, string][] = [
  ['Tuesday', 'Thursday'],
  ['twice', 'two times'],
  ['every few minutes', 'often'],
  ['on its way', 'already delivered'],
  ['must be corrected', 'should be corrected'],
  ['left', 'right'],
]

/** Summaries of tickets: most differences are a matter of taste, but not all. */
export function summaryTraffic(from: EpochMs, to: EpochMs, changedAt: EpochMs): Traffic[] {
  return [
    {
      validation: 'summary-small',
      perHour: 45,
      from,
      to,
      exchange(moment) {
        const { at, i, chance } = moment
        const k = Math.floor(chance.uniform() * tickets.length)
        const [question, summary] = tickets[k]!
        const [word, other] = slips[k]!
        const isOff = chance.is(at < changedAt ? 0.12 : 0.74)
        const said = isOff ? `${summary.replace(word, other)}${chance.is(0.35) ? ' Please answer soon.' : ''}` : summary
        return {
          correlationId: `ticket-${i}`,
          request: asked('/summaries', { customer: { name: 'Ana Ruiz', since: 2019 }, text: question }),
          primary: answered({ body: { summary, tokens: 31 }, totalMs: took(moment, 640), version: 'large-3' }),
          candidate: answered({
            body: { summary: said, tokens: 29 },
            totalMs: took(moment, 118),
            queuedMs: queued(moment),
            version: at < changedAt ? 'small-1' : 'small-2',
          }),
        }
      },
    },
    {
      validation: 'search-embedding',
      perHour: 66,
      from: to - 15 * 3_600_000,
      to,
      exchange(moment) {
        const { i, chance } = moment
        const vector = Array.from({ length: 24 }, (_, k) => Math.sin(i * 0.7 + k) + 0.3 * chance.normal())
        const near = (noise: number) => vector.map((one) => round(one + noise * chance.normal(), 4))
        return {
          request: asked('/embed', { query: `red shoes size ${36 + (i % 9)}` }),
          primary: answered({ body: { vector: near(0) }, totalMs: took(moment, 19), version: 'e5-large' }),
          candidate: answered({
            body: { vector: near(0.09) },
            totalMs: took(moment, 7),
            queuedMs: queued(moment),
            version: 'e5-small',
          }),
        }
      },
    },
  ]
}
