import { collectDefaultMetrics, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'

/** Each service has a registry of its own, so that several can run in one process. */
export function createRegistry(options: { processMetrics: boolean } = { processMetrics: true }): Registry {
  const registry = new Registry()
  if (options.processMetrics) collectDefaultMetrics({ register: registry })
  return registry
}
