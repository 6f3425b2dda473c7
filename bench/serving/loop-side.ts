import { join } from 'node:path'
import type { ModelName } from '../models/models.ts'
import { ask } from '../processes/ask.ts'
import { type LoopRound, together } from './loop.ts'
import type { ServingSide, Throughput } from './side.ts'
import type { ServingStage } from './stage.ts'

interface LoopProgram {
  command: string
  args: readonly string[]
}

/** Processes that compute in a loop and speak `LoopRound`: one per list of CPUs, all running at once. */
export function loopSide(
  stage: ServingStage,
  name: string,
  program: LoopProgram,
  cpus: readonly string[],
): ServingSide {
  const nameOf = (list: string) => (cpus.length === 1 ? name : `${name}-on-${list}`)
  return {
    name,
    async start() {
      const children = cpus.map((list) => stage.start({ name: nameOf(list), ...program, cpus: list, channel: true }))
      const run = async (round: LoopRound) =>
        together(await Promise.all(children.map((child) => ask<Throughput>(child, round))))
      await run({ durationMs: 0 }).catch((error) => {
        for (const [i, child] of children.entries()) stage.children.assertRunning(child, nameOf(cpus[i]!))
        throw error
      })
      return {
        pids: children.map(({ pid }) => pid!),
        measure: (durationMs) => run({ durationMs }),
        async stop() {
          await Promise.all(children.map((child) => stage.end(child)))
        },
      }
    },
  }
}

const bareFile = join(import.meta.dirname, 'bare-loop.ts')

/** The bare session in Node, with `rows` in each run. */
export function bareProgram(stage: ServingStage, model: ModelName, rows: number, threads: number): LoopProgram {
  const { folder } = stage.models
  const args = ['--folder', folder, '--model', model, '--rows', String(rows), '--threads', String(threads)]
  return { command: process.execPath, args: [bareFile, ...args] }
}
