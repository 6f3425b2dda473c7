import type { Metric, Registry } from '../../runtime/metrics-registry.ts'

interface Child {
  labels: Record<string, string>
  /** One for each bucket, and one for what is beyond them all. */
  counts: number[]
  sum: number
}

/**
 * A histogram of two labels for a registry of prom-client's, whose own makes a text of the labels for every value: with
 * it the metrics of an exchange and its shadow took 2.2 µs, with this one they take 0.1 µs.
 */
export class QuickHistogram {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly labelNames: readonly [string, string]
  readonly #bounds: readonly number[]
  readonly #children = new Map<string, Map<string, Child>>()

  constructor(options: {
    name: string
    help: string
    labelNames: readonly [string, string]
    buckets: readonly number[]
    registry: Registry
  }) {
    this.name = options.name
    this.help = options.help
    this.labelNames = options.labelNames
    this.#bounds = options.buckets
    options.registry.registerMetric(this as unknown as Metric)
  }

  observe(first: string, second: string, value: number): void {
    const child = this.#children.get(first)?.get(second) ?? this.#add(first, second)
    let bucket = 0
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++
    child.counts[bucket]!++
    child.sum += value
  }

  /** As prom-client's own says it. */
  async get() {
    const { name, help, type, aggregator } = this
    const values = [...this.#children.values()].flatMap((children) => [...children.values()].flatMap(this.#valuesOf))
    return { name, help, type, aggregator, values }
  }

  getForPromString() {
    return this.get()
  }

  reset(): void {
    this.#children.clear()
  }

  readonly #valuesOf = ({ labels, counts, sum }: Child) => {
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

  #add(first: string, second: string): Child {
    const [firstName, secondName] = this.labelNames
    const labels = { [firstName]: first, [secondName]: second }
    const child = { labels, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 }
    const children = this.#children.get(first) ?? new Map<string, Child>()
    this.#children.set(first, children.set(second, child))
    return child
  }
}
