import type { Bench, BenchSurroundings } from './bench.ts'
import { compareLoaders } from './mirror-overhead/compare-loaders.ts'
import { describeOverhead } from './mirror-overhead/describe.ts'
import { measureFixedRate } from './mirror-overhead/measure-fixed-rate.ts'
import { measureSaturated } from './mirror-overhead/measure-saturated.ts'
import type { MeasuredPayload } from './mirror-overhead/measured.ts'
import { fullPlan, onlyAtMainSize, type PayloadPlan, quickPlan } from './mirror-overhead/plan.ts'
import { startBench } from './mirror-overhead/start.ts'
import { watchOtherProcesses } from './processes/other-processes.ts'
import type { Side } from './sides/side.ts'

/**
 * What does each proxy cost in front of the same backend? Measures requests per second at saturation and latency at a
 * fixed arrival rate for no proxy, nginx, nginx with `mirror`, and our mirror by share, with a hung candidate and on
 * each of its forwarders; for small and large request bodies. All sides run at the same time and take turns, so that
 * the machine's variations affect all of them.
 */
export const mirrorOverhead: Bench = {
  name: 'mirror-overhead',
  async run(around: BenchSurroundings) {
    const plan = around.quick ? quickPlan : fullPlan
    const stage = await startBench(around)
    const shareOfOthers = watchOtherProcesses()
    const measure = async (payloadPlan: PayloadPlan, sides: readonly Side[]): Promise<MeasuredPayload> => ({
      plan: payloadPlan,
      sides: sides.map(({ name }) => name),
      saturated: await measureSaturated(stage, sides, payloadPlan, around.progress),
      fixedRate: await measureFixedRate(stage, sides, payloadPlan, around.progress),
    })
    const loaders = await compareLoaders(stage, plan.main)
    const main = await measure(plan.main, stage.sides)
    const others: MeasuredPayload[] = []
    const atEverySize = stage.sides.filter(({ name }) => !onlyAtMainSize.has(name))
    for (const payloadPlan of plan.others) others.push(await measure(payloadPlan, atEverySize))
    return describeOverhead({ stage, main, others, loaders, othersShare: shareOfOthers() })
  },
}
