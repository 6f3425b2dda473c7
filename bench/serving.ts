import { type Bench, type BenchSurroundings, partsNamed } from './bench.ts'
import { describeServing } from './serving/describe.ts'
import { modelSides } from './serving/model-sides.ts'
import { comparedModels, servingPlan } from './serving/plan.ts'
import { startStage } from './serving/stage.ts'
import { takeTurns } from './serving/take-turns.ts'
import { tinySides } from './serving/tiny-sides.ts'

/**
 * How much of a session's speed is left behind HTTP, queue, batches and messages? Compares each model's bare session
 * with our server on the same core, and a tiny model with the handler one would write first.
 */
export const serving: Bench = {
  name: 'serving',
  async run(around: BenchSurroundings) {
    const stage = startStage(around)
    const plan = servingPlan(around.quick)
    const sides = [...comparedModels.flatMap((compared) => modelSides(stage, compared)), ...tinySides(stage)]
    const turns = await takeTurns(partsNamed(sides, around.only), plan, around.progress)
    return describeServing({ stage, plan, turns })
  },
}
