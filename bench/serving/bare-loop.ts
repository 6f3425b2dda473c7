import { parseArgs } from 'node:util'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { readModelFile } from '../../candidate-server/model-file/model-file.ts'
import { modelForCpu } from '../../candidate-server/model-file/model-for-cpu.ts'
import { elementsOf, type ModelName, modelOf, pathOf } from '../models/models.ts'
import type { LoopRound } from './loop.ts'
import { answerElements, type Throughput } from './side.ts'

/** One session in a bare loop, with the same file and options as in the server. Each message starts one round. */
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    model: { type: 'string' },
    rows: { type: 'string' },
    threads: { type: 'string' },
  },
})
const rows = Number(values.rows)
const model = modelOf(values.model as ModelName)
const types = { FP32: 'float32', UINT8: 'uint8', INT64: 'int64' } as const

const path = pathOf(values.folder!, model)
const forCpu = modelForCpu(path, readModelFile(path), { amx: true, spaceToDepth: true })
const options = {
  executionProviders: ['cpu'],
  intraOpNumThreads: Number(values.threads),
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
} as const
const session = await (forCpu ? InferenceSession.create(forCpu.model, options) : InferenceSession.create(path, options))
const feeds = Object.fromEntries(
  model.inputs.map((input) => [
    input.name,
    new Tensor(types[input.datatype] as 'float32', elementsOf(input, rows) as Float32Array, [rows, ...input.rowShape]),
  ]),
)

async function runFor(durationMs: number): Promise<Throughput> {
  const latenciesMs: number[] = []
  const startedAt = performance.now()
  let answer: number[] = []
  let now = startedAt
  while (now - startedAt < durationMs) {
    const { output } = await session.run(feeds)
    const endedAt = performance.now()
    latenciesMs.push(endedAt - now)
    if (answer.length === 0) answer = Array.from((output!.data as Float32Array).subarray(0, answerElements))
    now = endedAt
  }
  const done = latenciesMs.length * rows
  return { rowsPerSecond: (done * 1000) / (now - startedAt), rows: done, latenciesMs, errors: 0, answer }
}

process.on('message', async ({ durationMs }: LoopRound) => process.send!(await runFor(durationMs)))
process.on('disconnect', () => process.exit(0))
