import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

let ofProcess: Registry | undefined

/**
 * Each service has its own registry, so that several can run in one process. The process metrics exist once; their
 * event-loop lag covers the time since any of the registries was last read.
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
  /** How the values of several processes combine; `sum` by default. */
  aggregator?: 'max' | 'min' | 'first'
}
/** One number, or one for each combination of labels. */
type Values = number | Iterable<readonly [value: number, labels: Record<string, string | number>]>
type Read = () => Values | Promise<Values>

/** Metrics that are read when their page is requested, so that the code they measure pays nothing. */
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
