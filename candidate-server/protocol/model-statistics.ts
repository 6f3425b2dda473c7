import type { InferenceStatistics } from '../model/inference-statistics.ts'

const ns = (ms: number) => Math.round(ms * 1e6)
const duration = ({ count, ms }: { count: number; ms: number }) => ({ count, ns: ns(ms) })
const none = { count: 0, ns: 0 }

/**
 * One entry of the statistics extension's `model_stats`. Requests dropped from the queue count as failed, and by reason
 * in `dropped`, which is our own field. `compute_input` covers everything in a batch except its run: stacking, transfer
 * to the instance and back, and splitting. There is no cache, and nothing is reported for the output.
 */
export function modelStatistics(name: string, version: string, statistics: InferenceStatistics) {
  const dropped = Object.values(statistics.dropped).reduce((sum, count) => sum + count, 0)
  return {
    name,
    version,
    last_inference: statistics.lastAt,
    inference_count: statistics.rows,
    execution_count: statistics.executions,
    inference_stats: {
      success: duration(statistics.success),
      fail: { count: statistics.failed + dropped, ns: 0 },
      queue: duration(statistics.queue),
      compute_input: duration(statistics.batch),
      compute_infer: duration(statistics.infer),
      compute_output: none,
      cache_hit: none,
      cache_miss: none,
    },
    batch_stats: [...statistics.batches]
      .sort(([a], [b]) => a - b)
      .map(([rows, sum]) => ({
        batch_size: rows,
        compute_input: none,
        compute_infer: duration(sum),
        compute_output: none,
      })),
    memory_usage: [],
    response_stats: {},
    dropped: statistics.dropped,
  }
}
