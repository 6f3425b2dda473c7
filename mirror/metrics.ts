import { createRegistry, type Registry } from '../runtime/metrics-registry.ts'
import { addStateMetrics, type MirrorParts } from './observe/state-metrics.ts'
import { createTrafficMetrics, type TrafficMetrics } from './observe/traffic-metrics.ts'

interface MirrorMetrics extends TrafficMetrics {
  registry: Registry
}

/** Those of the process and its event loop (`process_…`, `nodejs_…`) are prom-client's own. */
export function createMetrics(parts: MirrorParts): MirrorMetrics {
  const registry = createRegistry()
  const traffic = createTrafficMetrics(registry)
  addStateMetrics(registry, parts)
  return { registry, ...traffic }
}
