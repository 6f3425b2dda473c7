import type { Metric, Registry } from './metrics-registry.ts'

/** What was observed under one set of labels. */
class Series {
  readonly labels: Record<string, string>
  /** One count per bucket, and one for values beyond the last. */
  readonly counts: number[]
  readonly #bounds: readonly number[]
  sum = 0

  constructor(labels: Record<string, string>, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++
    this.counts[bucket]!++
    this.sum += value
  }
}

/**
 * A histogram with one or two labels for prom-client's registry. prom-client's own builds a string of the labels for
 * every value: with it the metrics of an exchange and its shadow took 2.2 µs, with this one 0.1 µs.
 */
export class QuickHistogram {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly labelNames: readonly [string] | readonly [string, string]
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Map<string, Series>>()

  constructor(options: {
    name: string
    help: string
    labelNames: readonly [string] | readonly [string, string]
    buckets: readonly number[]
    registry: Registry
  }) {
    this.name = options.name
    this.help = options.help
    this.labelNames = options.labelNames
    this.#bounds = options.buckets
    options.registry.registerMetric(this as unknown as Metric)
  }

  of(first: string, second = ''): Series {
    return this.#series.get(first)?.get(second) ?? this.#add(first, second)
  }

  /** In the format of prom-client's own. */
  async get() {
    const { name, help, type, aggregator } = this
    const values = [...this.#series.values()].flatMap((series) => [...series.values()].flatMap(this.#valuesOf))
    return { name, help, type, aggregator, values }
  }

  getForPromString() {
    return this.get()
  }

  reset(): void {
    this.#series.clear()
  }

  readonly #valuesOf = ({ labels, counts, sum }: Series) => {
    let total = 0
    const buckets = counts.map((count, i) => {
      total += count
      return { labels: { le: this.#bounds[i] ?? '+Inf', ...labels }, value: total, metricName: `${this.name}_bucket` }
    })
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: total, metricName: `${this.name}_count` },
    ]
  }

  #add(first: string, second: string): Series {
    const [firstName, secondName] = this.labelNames
    const labels = { [firstName]: first, ...(secondName !== undefined && { [secondName]: second }) }
    const added = new Series(labels, this.#bounds)
    const series = this.#series.get(first) ?? new Map<string, Series>()
    this.#series.set(first, series.set(second, added))
    return added
  }
}
