import { expect, test } from 'vitest'
import { readTopology } from '../cpu/topology.ts'
import { singleThreaded, writeSysroot } from '../testing/fake-sysroot.ts'
import { testConfig } from '../testing/start-test-server.ts'
import { planConfig } from './plan-config.ts'

/** How the first of some models is placed if all of them have as many threads as there are cores. */
function placementOfFirst(models: string[], threads: number, spinning: 'auto' | boolean) {
  const topology = readTopology({ sysroot: writeSysroot({ cores: singleThreaded(threads) }) })
  const config = testConfig({
    cpu: { instances: 1, threads, spinning },
    models: models.map((name) => ({ name, path: 'm.onnx' })),
  })
  return planConfig(topology, config).instances.find(({ model }) => model === models[0])
}

test.each([
  [1, 'auto', 'never', 'never'],
  [2, 'auto', 'withinRuns', 'never'],
  [2, true, 'always', 'always'],
  [2, false, 'never', 'never'],
] as const)(
  'of %i thread(s) with spinning %s wait %s alone and %s beside another model, which is all that it changes',
  (threads, asked, alone, beside) => {
    const place = { model: 'a', group: 0, cpus: [0, 1].slice(0, threads), threads, memoryNode: 0 }
    expect(placementOfFirst(['a'], threads, asked)).toEqual({ ...place, spinning: alone })
    expect(placementOfFirst(['a', 'b'], threads, asked)).toEqual({ ...place, spinning: beside })
  },
)
