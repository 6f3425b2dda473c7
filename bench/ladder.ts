import { spawnSync } from 'node:child_process'
import { type Bench, type BenchSurroundings, partsNamed } from './bench.ts'
import { describeLadder } from './ladder/describe.ts'
import { ladderPlan } from './ladder/plan.ts'
import { rungs } from './ladder/rungs.ts'
import { sideOf } from './ladder/sides.ts'
import { startStage } from './serving/stage.ts'
import { takeTurns } from './serving/take-turns.ts'

/**
 * How much faster than eager PyTorch can ResNet-50 be on two cores, and which setting makes the difference? One
 * optimisation per row, then combinations, compared with ONNX Runtime in Python and with OpenVINO; finally a distilled
 * student.
 */
export const ladderBench: Bench = {
  name: 'ladder',
  async run(around: BenchSurroundings) {
    const stage = startStage(around)
    const plan = ladderPlan(around.quick)
    const versions = engineVersions(stage.models.python)
    around.progress(versions)
    const sides = rungs.map((rung) => sideOf(stage, rung))
    const turns = await takeTurns(partsNamed(sides, around.only), plan, around.progress)
    return describeLadder({ stage, plan, turns, versions })
  },
}

function engineVersions(python: string): string {
  const packages = { PyTorch: 'torch', 'ONNX Runtime': 'onnxruntime', OpenVINO: 'openvino' }
  const script = `from importlib.metadata import version; print(*map(version, ${JSON.stringify(Object.values(packages))}))`
  const { stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8' })
  const versions = stdout.trim().split(' ')
  return Object.keys(packages)
    .map((name, i) => `${name} ${versions[i]}`)
    .join(' · ')
}
