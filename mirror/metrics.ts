import { createRegistry, type Registry } from '../runtime/metrics-registry.ts'
import { addStateMetrics, type MirrorParts } from './observe/state-metrics.ts'
import { createTrafficMetrics, type TrafficMetrics } from './observe/traffic-metrics.ts'

interface MirrorMetrics extends TrafficMetrics {
  registry: Registry
}

/** Process and event-loop metrics (`process_…`, `nodejs_…`) come from prom-client itself. */
export function createMetrics(parts: MirrorParts): MirrorMetrics {
  const registry = createRegistry()
  const traffic = createTrafficMetrics(registry)
  addStateMetrics(registry, parts)
  return { registry, ...traffic }
}
