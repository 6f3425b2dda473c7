import { request } from 'undici'
import type { ModelName } from '../models/models.ts'

interface Work {
  rows: number
  runs: number
  ms: number
}

/** The part of the statistics document that is used here. */
interface Statistics {
  model_stats: { inference_count: number; execution_count: number; batch_stats: { compute_infer: { ns: number } }[] }[]
}

/** Starts to watch how much of the time a model's sessions work; the returned function gives the figure since then. */
export async function sessionWork(port: number, model: ModelName) {
  const [before, from] = [await read(port, model), performance.now()]
  return async (instances: number) => {
    const [after, to] = [await read(port, model), performance.now()]
    const runs = after.runs - before.runs
    return {
      batchRows: (after.rows - before.rows) / runs,
      inSession: (after.ms - before.ms) / (to - from) / instances,
    }
  }
}

async function read(port: number, model: ModelName): Promise<Work> {
  // a new connection each time, because minutes of load lie between two requests
  const { body } = await request(`http://127.0.0.1:${port}/v2/models/${model}/stats`, { reset: true })
  const { model_stats: all } = (await body.json()) as Statistics
  const { inference_count: rows, execution_count: runs, batch_stats: batches } = all[0]!
  return { rows, runs, ms: batches.reduce((sum, { compute_infer }) => sum + compute_infer.ns / 1e6, 0) }
}
