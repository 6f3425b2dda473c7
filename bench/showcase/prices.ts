import type { EpochMs } from '../../vocabulary/units.ts'
import { answered, asked, notAnswered, queued, round, type Traffic, took } from './traffic.ts'

const countries = ['DE', 'DE', 'DE', 'FR', 'FR', 'NL', 'PL', 'AT']

export const priceValidations = [
  {
    name: 'price-student',
    output: { kind: 'regression', value: '/price', units: '€' },
    slices: [{ name: 'country', pointer: '/country' }],
    store: { bodies: 'all' },
    window: { duration: '3d', samplesMin: 3000, coverageMin: 0.95 },
    gate: [
      { metric: 'mae', max: 3 },
      { metric: 'bias', min: -1, max: 1 },
      { metric: 'latency.candidate.p95', max: 25 },
      { metric: 'errorRate.delta', max: 0.02 },
      { metric: 'outputDrift.psi', max: 0.2 },
    ],
    rollout: { steps: [1, 10, 50, 100], stepDuration: '6h' },
  },
  {
    name: 'delay-forest',
    output: { kind: 'regression', value: '/minutes', units: 'min' },
    window: { duration: '2d', samplesMin: 1500, coverageMin: 0.95 },
    gate: [{ metric: 'mae', max: 4 }],
  },
  {
    name: 'parcel-next',
    output: { kind: 'regression', value: '/days' },
    window: { duration: '7d', samplesMin: 1000, coverageMin: 0.95 },
    quietAfter: '60d',
    gate: [{ metric: 'mae', max: 0.5 }],
  },
]

export function priceTraffic(from: EpochMs, to: EpochMs, times: { liveFrom: EpochMs; delaysEnd: EpochMs }): Traffic[] {
  return [
    {
      validation: 'price-student',
      perHour: 102,
      from,
      to,
      exchange(moment) {
        const { at, i, chance } = moment
        const rooms = 1 + Math.floor(5 * chance.uniform())
        const country = chance.pick(countries)
        const price = 45 + 31 * rooms + (country === 'AT' ? 25 : 0) + 14 * chance.normal()
        const off = (country === 'PL' ? 3.4 : 0) + 1.9 * chance.normal()
        return {
          correlationId: `quote-${i}`,
          request: asked('/v2/quote', { country, rooms, nights: 1 + (i % 9), breakfast: i % 3 === 0 }),
          primary: answered({ body: { price: round(price, 2) }, totalMs: took(moment, 23), version: 'gbm-2026-09' }),
          candidate: chance.is(0.0008)
            ? notAnswered('reset', 3.1, 'student-2')
            : answered({
                body: { price: round(price + off, 2) },
                totalMs: took(moment, 6.2),
                queuedMs: queued(moment),
                version: 'student-2',
                digest: 'sha256:be01d20f66',
              }),
          live: at >= times.liveFrom && chance.is(0.08) ? 'candidate' : 'primary',
        }
      },
    },
    {
      validation: 'delay-forest',
      perHour: 36,
      from: times.delaysEnd - 30 * 3_600_000,
      to: times.delaysEnd,
      exchange(moment) {
        const { i, chance } = moment
        const minutes = Math.abs(14 + 9 * chance.normal())
        return {
          request: asked('/delays', { line: `S${1 + (i % 9)}`, stop: 4000 + (i % 77) }),
          primary: answered({ body: { minutes: round(minutes, 1) }, totalMs: took(moment, 55), version: '12' }),
          candidate: answered({
            body: { minutes: round(minutes + 2.5 * chance.normal(), 1) },
            totalMs: took(moment, 31),
            queuedMs: queued(moment),
            version: '1',
          }),
        }
      },
    },
  ]
}
