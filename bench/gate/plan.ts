export const days = 30
export const limitMs = 100
/** Maximum cost with the most observations relative to the fewest. */
export const growthMax = 1.2

/** Requests of each kind that do not count. */
export const warmUps = 3

export interface GatePlan {
  sizes: number[]
  /** Repeats of each question for each size, in turns. */
  repeats: number
}

export const gatePlan = (quick: boolean): GatePlan =>
  quick ? { sizes: [1e5, 1e6], repeats: 10 } : { sizes: [1e5, 1e6, 1e7], repeats: 60 }

const gate = {
  classification: [
    { metric: 'agreement', min: 0.95 },
    { metric: 'scoreMae', max: 0.05 },
    { metric: 'latency.candidate.p99', max: 250 },
    { metric: 'errorRate.delta', max: 0.01 },
  ],
  regression: [
    { metric: 'mae', max: 1 },
    { metric: 'outputDrift.psi', max: 0.1 },
    { metric: 'latency.delta.p95', max: 50 },
  ],
}
export const kinds = ['classification', 'regression'] as const
export type Kind = (typeof kinds)[number]

export const labels = Array.from({ length: 10 }, (_, i) => String(i))
export const nameOf = (kind: Kind, size: number) => `${kind}-1e${Math.log10(size)}`

/** A validation for each size, with a window of a month, as in a config file. */
export const validationOf = (kind: Kind, size: number) => ({
  name: nameOf(kind, size),
  output: kind === 'classification' ? { kind, scores: '/scores', labels } : { kind, value: '/value' },
  window: { duration: `${days}d`, samplesMin: 10_000, coverageMin: 0.9 },
  gate: gate[kind],
})
