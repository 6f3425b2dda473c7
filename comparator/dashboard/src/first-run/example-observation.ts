import type { Leg } from '../../../../vocabulary/leg.ts'
import type { OutputMapping } from '../../../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../../../vocabulary/observation.ts'
import type { EpochMs } from '../../../../vocabulary/units.ts'
import { exampleAnswer } from './example-answer.ts'

/** Passed in, so that tests can control it. */
export interface Chance {
  now: EpochMs
  /** In [0, 1). */
  random: () => number
}

/** An observation as a mirror would deliver it, readable by this validation's mapping. */
export function exampleObservation(validation: string, output: OutputMapping, chance: Chance): Observation {
  const answered = (leg: Leg, totalMs: number, version: string) => ({
    kind: 'answered' as const,
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: exampleAnswer(output, leg),
    bodyEncoding: 'utf8' as const,
    ttfbMs: totalMs,
    totalMs,
    version,
  })
  return {
    id: uuidV7(chance),
    validation,
    at: new Date(chance.now).toISOString(),
    request: { method: 'POST', path: `/predictions/${validation}`, bodyBytes: 20 },
    primary: answered('primary', 41.9, '1'),
    candidate: answered('candidate', 9.3, '1'),
  }
}

/** RFC 9562: 48 bits of time, the rest random. */
function uuidV7({ now, random }: Chance): string {
  const time = Math.floor(now).toString(16).padStart(12, '0')
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  const variant = '89ab'[Math.floor(random() * 4)]
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-${variant}${digits(3)}-${digits(12)}`
}
