import type { EpochMs } from '../../vocabulary/units.ts'
import { answered, asked, notAnswered, queued, round, type Traffic, took } from './traffic.ts'

const classes = ['pay', 'review', 'block']

export const invoiceValidations = [
  {
    name: 'invoice-fields',
    output: { kind: 'json', document: '/invoice', ignore: ['/readAt'], tolerance: { absolute: 0.005, relative: 0 } },
    outputs: {
      total: { kind: 'regression', value: '/invoice/total', units: '€' },
      vendor: { kind: 'classification', label: '/vendor' },
    },
    window: { duration: '2d', samplesMin: 500, coverageMin: 0.95 },
    approvals: 2,
    requesterApproves: true,
    gate: [
      { metric: 'fieldsEqual', min: 0.97 },
      { metric: 'outputs.total.mae', max: 1 },
      { metric: 'latency.candidate.p95', max: 500 },
    ],
    rollout: { steps: [10, 50, 100], stepDuration: '4h' },
  },
  {
    name: 'payment-tree',
    output: { kind: 'classification', scores: '/scores', labels: classes },
    slices: [{ name: 'channel', pointer: '/channel' }],
    window: { duration: '2d', samplesMin: 500, coverageMin: 0.95 },
    gate: [
      { metric: 'agreement', min: 0.995 },
      { metric: 'agreement', slice: 'class=block', min: 0.95 },
      { metric: 'latency.candidate.p99', max: 30 },
      { metric: 'errorRate.delta', max: 0.02 },
    ],
    rollout: { steps: [5, 25, 100], stepDuration: '12h' },
  },
]

const vendors = ['Hansen Paper', 'Lumen Energy', 'Northwind', 'Rovere Caffè', 'Öresund Fracht']

export function invoiceTraffic(
  from: EpochMs,
  to: EpochMs,
  times: { mendedAt: EpochMs; live: [from: EpochMs, to: EpochMs][]; paymentsLiveFrom: EpochMs },
): Traffic[] {
  return [
    {
      validation: 'invoice-fields',
      perHour: 63,
      from,
      to,
      exchange(moment) {
        const { at, i, chance } = moment
        const vendor = vendors[i % vendors.length]!
        const lines = Array.from({ length: 1 + (i % 3) }, (_, k) => ({
          text: `item ${k + 1}`,
          amount: round(20 + 380 * chance.uniform(), 2),
        }))
        const total = round(
          lines.reduce((sum, { amount }) => sum + amount, 0),
          2,
        )
        const invoice = { number: `R-${20_000 + i}`, vendor, currency: 'EUR', total, lines, readAt: at }
        const wrong = chance.uniform()
        const isMended = at >= times.mendedAt
        const read = {
          ...invoice,
          readAt: at + 1,
          ...(wrong < 0.012 && { vendor: vendor.replace('ö', 'o').replace('Ö', 'O').toUpperCase() }),
          ...(wrong > 0.99 && { total: round(total + 10, 2) }),
          ...(!isMended && wrong > 0.98 && { currency: null }),
        }
        return {
          correlationId: invoice.number,
          request: asked('/invoices/read', { scan: `s3://scans/${invoice.number}.pdf`, pages: 1 + (i % 4) }),
          primary: answered({ body: { invoice, vendor }, totalMs: took(moment, 480), version: 'layout-large' }),
          candidate: answered({
            body: { invoice: read, vendor: read.vendor },
            totalMs: took(moment, 170),
            queuedMs: queued(moment),
            version: isMended ? 'layout-small-2' : 'layout-small-1',
            digest: isMended ? 'sha256:02fae7716d' : 'sha256:51b09c3e12',
          }),
          live: times.live.some(([from, to]) => at >= from && at < to) && chance.is(0.5) ? 'candidate' : 'primary',
        }
      },
    },
    {
      validation: 'payment-tree',
      perHour: 66,
      from,
      to,
      exchange(moment) {
        const { at, i, chance } = moment
        const channel = chance.pick(['app', 'app', 'web', 'phone'])
        const truth = chance.is(0.06) ? 2 : chance.is(0.12) ? 1 : 0
        const isApart = chance.is(truth === 2 ? 0.14 : channel === 'phone' ? 0.05 : 0.015)
        const says = isApart ? (truth + 1 + (chance.is(0.5) ? 1 : 0)) % 3 : truth
        return {
          correlationId: `payment-${i}`,
          request: asked('/payments/score', { channel, amount: round(900 * chance.uniform() ** 3, 2), card: 'EU' }),
          primary: answered({ body: { scores: scoresOf(truth) }, totalMs: took(moment, 17), version: 'net-19' }),
          candidate: chance.is(0.001)
            ? notAnswered('refused', 0.4, 'tree-5')
            : answered({
                body: { scores: scoresOf(says) },
                totalMs: took(moment, 2.3),
                queuedMs: queued(moment),
                version: 'tree-5',
              }),
          live: at >= times.paymentsLiveFrom && chance.is(0.15) ? 'candidate' : 'primary',
        }
        function scoresOf(top: number) {
          const sure = round(0.7 + 0.28 * chance.uniform(), 3)
          return classes.map((_, k) => (k === top ? sure : round((1 - sure) / 2, 3)))
        }
      },
    },
  ]
}
