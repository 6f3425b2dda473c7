import { type FixedRateLoad, loadFixedRate } from './load-fixed-rate.ts'
import { loadSaturated, type SaturatedLoad } from './load-saturated.ts'
import { type AutocannonLoad, loadWithAutocannon } from './load-with-autocannon.ts'

export type Load = SaturatedLoad | FixedRateLoad | AutocannonLoad

/** The load generator's process: runs one load at a time, as asked over its channel, and sends back the result. */
process.on('message', async (load: Load) => {
  switch (load.kind) {
    case 'saturated':
      return process.send!(await loadSaturated(load))
    case 'fixedRate':
      return process.send!(await loadFixedRate(load))
    case 'autocannon':
      return process.send!(await loadWithAutocannon(load))
  }
})
process.on('disconnect', () => process.exit(0))
