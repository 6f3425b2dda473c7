import { Counter, createRegistry, metricsOnDemand, type Registry } from '../runtime/metrics-registry.ts'
import { QuickHistogram } from '../runtime/quick-histogram.ts'
import type { InstanceGroup } from './model/instance-group.ts'
import type { ServedModel } from './model/served-model.ts'
import type { ProtocolName } from './protocol/error-body.ts'

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface CandidateMetrics {
  registry: Registry
  countReply(protocol: ProtocolName, model: string | undefined, status: number): void
  /** Starts counting a model's events. */
  attach(model: ServedModel): void
}

/** All of the server's metrics. Gauges are read from the models currently served. */
export function createMetrics(modelsNow: () => readonly ServedModel[]): CandidateMetrics {
  const registry = createRegistry()
  const { gauge, counter } = metricsOnDemand(registry)
  const replies = new Map<string, { labels: Record<'protocol' | 'model' | 'status', string | number>; count: number }>()
  counter(
    'understudy_candidate_replies_total',
    'HTTP replies by protocol, model and status',
    () => Array.from(replies.values(), ({ labels, count }) => [count, labels]),
    { labels: ['protocol', 'model', 'status'] },
  )
  const dropped = new Counter({
    name: 'understudy_candidate_dropped_total',
    help: 'Requests not run, by reason',
    labelNames: ['model', 'reason'],
    registers: [registry],
  })
  const queueSeconds = new QuickHistogram({
    name: 'understudy_candidate_queue_seconds',
    help: 'Time from arrival until an instance took the request',
    labelNames: ['model'],
    buckets: secondsBuckets,
    registry,
  })
  const inferSeconds = new QuickHistogram({
    name: 'understudy_candidate_infer_seconds',
    help: 'Duration of one session run',
    labelNames: ['model'],
    buckets: secondsBuckets,
    registry,
  })
  const batchRows = new QuickHistogram({
    name: 'understudy_candidate_batch_rows',
    help: 'Rows in one session run',
    labelNames: ['model'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registry,
  })
  const byModel = (name: string, help: string, read: (model: ServedModel) => number) =>
    gauge(name, help, () => modelsNow().map((model) => [read(model), { model: model.name }]), { labels: ['model'] })
  byModel('understudy_candidate_queue_requests', 'Requests waiting', ({ queued }) => queued)
  byModel(
    'understudy_candidate_instances_serving',
    'Instances that are up and not crash-looping',
    ({ instances }) => instances.filter(({ serving }) => serving).length,
  )
  byModel('understudy_candidate_instance_restarts', 'Instance restarts since the model was loaded', ({ instances }) =>
    instances.reduce((sum, { restarts }) => sum + restarts, 0),
  )
  byModel(
    'understudy_candidate_instance_recycles',
    'Instance processes replaced at a limit since the model was loaded',
    ({ instances }) => instances.reduce((sum, { recycles }) => sum + recycles, 0),
  )
  gauge(
    'understudy_candidate_instance_rss_bytes',
    'Memory of an instance after its last run, by its first CPU',
    () =>
      modelsNow().flatMap(({ name, instances }) =>
        instances.map(({ placed, rssBytes }) => [rssBytes, { model: name, cpu: placed.cpus[0]! }] as const),
      ),
    { labels: ['model', 'cpu'] },
  )
  const groups = createGroupMetrics(modelsNow, registry)
  const attach = (model: ServedModel) => {
    const { name, statistics } = model
    statistics.onOutcome = (outcome) => {
      if (outcome.kind === 'answered') queueSeconds.of(name).observe(outcome.timings.queueMs / 1000)
      else if (outcome.kind !== 'failed') dropped.inc({ model: name, reason: outcome.kind })
    }
    statistics.onBatch = (rows, inferMs) => {
      batchRows.of(name).observe(rows)
      inferSeconds.of(name).observe(inferMs / 1000)
    }
    groups.attach(model)
  }
  return {
    registry,
    countReply(protocol, model = '', status) {
      const key = `${status} ${protocol} ${model}`
      replies.getOrInsertComputed(key, () => ({ labels: { protocol, model, status }, count: 0 })).count++
    },
    attach,
  }
}

/** Per-group metrics of models with instance groups, in addition to those of the whole model. */
function createGroupMetrics(modelsNow: () => readonly ServedModel[], registry: Registry) {
  const { gauge } = metricsOnDemand(registry)
  const labelNames = ['model', 'group'] as const
  const queueSeconds = new QuickHistogram({
    name: 'understudy_candidate_group_queue_seconds',
    help: 'Time from arrival until an instance took the request, by size group',
    labelNames,
    buckets: secondsBuckets,
    registry,
  })
  const inferSeconds = new QuickHistogram({
    name: 'understudy_candidate_group_infer_seconds',
    help: 'Duration of one session run, by size group',
    labelNames,
    buckets: secondsBuckets,
    registry,
  })
  const byGroup = (name: string, help: string, read: (group: InstanceGroup) => number) =>
    gauge(
      name,
      help,
      () =>
        modelsNow()
          .filter(({ groups }) => groups.length > 1)
          .flatMap((model) =>
            model.groups.map((group) => [read(group), { model: model.name, group: group.name }] as const),
          ),
      { labels: labelNames },
    )
  byGroup('understudy_candidate_group_queue_requests', 'Requests waiting, by size group', ({ queue }) => queue.length)
  byGroup(
    'understudy_candidate_group_spilled_requests',
    'Requests run by an instance of another group since the model was loaded',
    ({ spilled }) => spilled,
  )
  return {
    attach({ name, groups }: ServedModel): void {
      if (groups.length < 2) return
      for (const { name: group, statistics } of groups) {
        statistics.onOutcome = (outcome) => {
          if (outcome.kind === 'answered') queueSeconds.of(name, group).observe(outcome.timings.queueMs / 1000)
        }
        statistics.onBatch = (_, inferMs) => inferSeconds.of(name, group).observe(inferMs / 1000)
      }
    },
  }
}
