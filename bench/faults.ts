import { type Bench, type BenchSurroundings, partsNamed } from './bench.ts'
import { describeFaults } from './faults/describe.ts'
import { faults } from './faults/faults.ts'
import { type MeasuredFault, measureFault } from './faults/measure-fault.ts'
import { faultsPlan } from './faults/plan.ts'
import { canHaveSmallDisk } from './faults/small-disk.ts'
import { startBackends } from './processes/start-backends.ts'

/**
 * What does a client notice of a fault behind the mirror? Puts each fault under load, in short turns alternating with a
 * mirror that has mirroring off; both mirrors are started for that fault alone.
 */
export const faultsBench: Bench = {
  name: 'faults',
  async run(around: BenchSurroundings) {
    const chosen = partsNamed(faults, around.only)
    const backends = await startBackends(around, { acceptOnce: false, shadowYields: true })
    const left = canHaveSmallDisk() ? [] : chosen.filter(({ isDiskFull }) => isDiskFull)
    const measured: MeasuredFault[] = []
    for (const fault of chosen) {
      if (left.includes(fault)) continue
      measured.push(await measureFault(fault, faultsPlan(fault, around.quick), backends, around))
    }
    return describeFaults({ measured, left, backends, plan: faultsPlan(faults[0]!, around.quick) })
  },
}
