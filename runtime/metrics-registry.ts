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
  help: string
  labels?: readonly string[]
  /** How several processes' values make one; `sum` where nothing is said. */
  aggregator?: 'max' | 'min' | 'first'
}
type Read = (set: (value: number, labels?: Record<string, string | number>) => void) => void

/** Metrics that are read when their page is asked for, so that what they tell of pays nothing. */
export function metricsOnDemand(registry: Registry) {
  const settingsOf = (name: string, { help, labels = [], aggregator }: Described) => ({
    name,
    help,
    labelNames: labels,
    ...(aggregator && { aggregator }),
    registers: [registry],
  })
  return {
    gauge: (name: string, described: Described, read: Read) =>
      new Gauge({
        ...settingsOf(name, described),
        collect() {
          this.reset()
          read((value, labels = {}) => this.set(labels, value))
        },
      }),
    counter: (name: string, described: Described, read: Read) =>
      new Counter({
        ...settingsOf(name, described),
        collect() {
          this.reset()
          read((value, labels = {}) => this.inc(labels, value))
        },
      }),
  }
}
