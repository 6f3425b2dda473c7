import type { SaturatedResult } from '../load/load-saturated.ts'
import type { PayloadPlan } from './plan.ts'
import type { Stage } from './start.ts'

/**
 * The same load on the primary with autocannon and with our own tool, in requests per second: is the load generator the
 * limit?
 */
export interface Loaders {
  autocannon: number
  ours: number
}

export async function compareLoaders(stage: Stage, plan: PayloadPlan): Promise<Loaders> {
  const { connections, requestBytes } = plan.payload
  const rate = async (kind: 'saturated' | 'autocannon', durationMs: number) => {
    const load = { kind, port: stage.upstreams.primary, connections, durationMs, requestBytes }
    return (await stage.load<SaturatedResult>(load)).requestsPerSecond
  }
  await rate('saturated', plan.warmUpMs)
  await rate('autocannon', plan.warmUpMs)
  return {
    autocannon: await rate('autocannon', plan.saturated.durationMs),
    ours: await rate('saturated', plan.saturated.durationMs),
  }
}
