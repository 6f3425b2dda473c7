import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { Chance } from './chance.ts'
import { answered, askedWithPicture, notAnswered, queued, round, type Traffic, took } from './traffic.ts'

const labels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const mistakenFor: Record<string, string> = {
  3: '8',
  8: '3',
  4: '9',
  9: '4',
  1: '7',
  7: '1',
  5: '6',
  6: '5',
  0: '6',
  2: '3',
}
const tenants = ['northbank', 'northbank', 'northbank', 'harbour', 'millbrook', 'millbrook', 'oakfield', 'saltmarsh']

const digits = readFileSync(join(import.meta.dirname, '../../deploy/demo/data/digits.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { image: string; label: string })

const output = { kind: 'classification', scores: '/predictions', label: '/label', labels }

export const digitValidations = [
  {
    name: 'digits-int8',
    output,
    slices: [{ name: 'tenant', header: 'x-tenant' }],
    noiseFloor: 'digits-itself',
    store: { bodies: 'worst', headers: ['content-type', 'x-tenant'] },
    window: { duration: '7d', samplesMin: 5000, coverageMin: 0.95 },
    approvals: 2,
    gate: [
      { metric: 'agreement', min: 0.97 },
      { metric: 'scoreMae', max: 0.02 },
      { metric: 'latency.candidate.p99', max: 40 },
      { metric: 'latency.candidate.p95', relativeTo: 'primary', maxRatio: 0.6 },
      { metric: 'errorRate.delta', max: 0.02 },
      { metric: 'outputDrift.psi', max: 0.1 },
      { metric: 'accuracy.drift', min: -0.02, reportOnly: true },
      { metric: 'agreement', slice: 'tenant=harbour', min: 0.97, reportOnly: true },
    ],
    rollout: { steps: [1, 10, 50, 100], stepDuration: '6h' },
  },
  {
    name: 'digits-itself',
    output,
    window: { duration: '7d', samplesMin: 2000, coverageMin: 0.9 },
    gate: [{ metric: 'agreement', min: 0.98, reportOnly: true }],
  },
]

/** Handwritten digits on forms: a teacher on GPUs and its INT8 student, which gets a new version half way. */
export function digitTraffic(from: EpochMs, to: EpochMs, changedAt: EpochMs): Traffic[] {
  return [
    {
      validation: 'digits-int8',
      perHour: 132,
      from,
      to,
      exchange(moment) {
        const { at, i, chance } = moment
        const { image, label } = digits[i % digits.length]!
        const tenant = chance.pick(tenants)
        const primarySays = chance.is(0.012) ? mistakenFor[label]! : label
        const isApart = chance.is(tenant === 'harbour' ? 0.045 : 0.004)
        const candidateSays = isApart ? (chance.is(0.3) ? label : mistakenFor[label]!) : primarySays
        const version = at < changedAt ? 'student-3-int8' : 'student-4-int8'
        const isLost = chance.is(0.0012)
        return {
          correlationId: `form-${i}`,
          request: askedWithPicture('/predictions/digits', Buffer.from(image, 'base64'), 'image/png', {
            'x-tenant': tenant,
          }),
          primary: answered({
            body: scored(primarySays, chance, 0.015),
            totalMs: took(moment, 41),
            version: 'teacher-7',
          }),
          candidate: isLost
            ? notAnswered('timedOut', 1000, version)
            : answered({
                body: scored(candidateSays, chance, 0.03),
                totalMs: took(moment, 11.5),
                queuedMs: queued(moment),
                version,
                digest: at < changedAt ? 'sha256:41c0aa7be2' : 'sha256:9d7f31c5e4',
              }),
        }
      },
    },
    {
      validation: 'digits-itself',
      perHour: 30,
      from,
      to,
      exchange(moment) {
        const { i, chance } = moment
        const { image, label } = digits[i % digits.length]!
        const body = scored(label, chance, 0.012)
        const again = chance.is(0.002) ? scored(mistakenFor[label]!, chance, 0.2) : body
        return {
          request: askedWithPicture('/predictions/digits', Buffer.from(image, 'base64'), 'image/png'),
          primary: answered({ body, totalMs: took(moment, 41), version: 'teacher-7' }),
          candidate: answered({
            body: again,
            totalMs: took(moment, 41),
            queuedMs: queued(moment),
            version: 'teacher-7',
          }),
        }
      },
    },
  ]
}

/** The truth, as people find it when they check forms one after another. */
export function digitLabels(from: number, to: number) {
  return Array.from({ length: to - from }, (_, k) => ({
    validation: 'digits-int8',
    correlationId: `form-${from + k}`,
    label: digits[(from + k) % digits.length]!.label,
  }))
}

function scored(label: string, chance: Chance, blur: number) {
  const raw = labels.map((one) =>
    one === label ? 1 : one === mistakenFor[label] ? blur * (1 + 2 * chance.uniform()) : (blur / 6) * chance.uniform(),
  )
  const sum = raw.reduce((all, one) => all + one, 0)
  return { predictions: raw.map((one) => round(one / sum, 4)), label }
}
