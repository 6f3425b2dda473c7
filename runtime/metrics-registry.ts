import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

let ofProcess: Registry | undefined

/**
 * Each service has a registry of its own, so that several can run in one process; what watches that is there once, and
 * tells of the event loop's lag since any of them was read last.
 */
export function createRegistry(options: { processMetrics: boolean } = { processMetrics: true }): Registry {
  if (!options.processMetrics) return new Registry()
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return Registry.merge([ofProcess])
}

interface Described {
  labels?: readonly string[]
  /** How several processes' values make one; `sum` where nothing is said. */
  aggregator?: 'max' | 'min' | 'first'
}
/** One number, or one for each combination of labels. */
type Values = number | Iterable<readonly [value: number, labels: Record<string, string | number>]>
type Read = () => Values | Promise<Values>

/** Metrics that are read when their page is asked for, so that what they tell of pays nothing. */
export function metricsOnDemand(registry: Registry) {
  const settingsOf = (name: string, help: string, { labels = [], aggregator }: Described) => ({
    name,
    help,
    labelNames: labels,
    ...(aggregator && { aggregator }),
    registers: [registry],
  })
  const eachOf = (values: Values) => (typeof values === 'number' ? [[values, {}] as const] : values)
  return {
    gauge: (name: string, help: string, read: Read, described: Described = {}) =>
      new Gauge({
        ...settingsOf(name, help, described),
        async collect() {
          const values = await read()
          this.reset()
          for (const [value, labels] of eachOf(values)) this.set(labels, value)
        },
      }),
    counter: (name: string, help: string, read: Read, described: Described = {}) =>
      new Counter({
        ...settingsOf(name, help, described),
        async collect() {
          const values = await read()
          this.reset()
          for (const [value, labels] of eachOf(values)) this.inc(labels, value)
        },
      }),
  }
}
