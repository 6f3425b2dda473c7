import { Counter, createRegistry, metricsOnDemand, type Registry } from '../runtime/metrics-registry.ts'
import { QuickHistogram } from '../runtime/quick-histogram.ts'
import type { InstanceGroup } from './model/instance-group.ts'
import type { ServedModel } from './model/served-model.ts'
import type { ProtocolName } from './protocol/error-body.ts'

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface CandidateMetrics {
  registry: Registry
  countReply(protocol: ProtocolName, model: string | undefined, status: number): void
  /** Counts what a model does, from now on. */
  attach(model: ServedModel): void
}

/** All of the server's metrics, read from the models in force where they are gauges. */
export function createMetrics(modelsNow: () => readonly ServedModel[]): CandidateMetrics {
  const registry = createRegistry()
  const { gauge, counter } = metricsOnDemand(registry)
  const replies = new Map<string, { labels: Record<'protocol' | 'model' | 'status', string | number>; count: number }>()
  counter(
    'understudy_candidate_replies_total',
    { help: 'HTTP replies by protocol, model and status', labels: ['protocol', 'model', 'status'] },
    (set) => {
      for (const { labels, count } of replies.values()) set(count, labels)
    },
  )
  const dropped = new Counter({
    name: 'understudy_candidate_dropped_total',
    help: 'Requests that were not run, by reason',
    labelNames: ['model', 'reason'],
    registers: [registry],
  })
  const queueSeconds = new QuickHistogram({
    name: 'understudy_candidate_queue_seconds',
    help: 'From arrival until an instance took the request',
    labelNames: ['model'],
    buckets: secondsBuckets,
    registry,
  })
  const inferSeconds = new QuickHistogram({
    name: 'understudy_candidate_infer_seconds',
    help: 'One run of the session',
    labelNames: ['model'],
    buckets: secondsBuckets,
    registry,
  })
  const batchRows = new QuickHistogram({
    name: 'understudy_candidate_batch_rows',
    help: 'Rows in one run of the session',
    labelNames: ['model'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registry,
  })
  const byModel = ['model']
  gauge('understudy_candidate_queue_requests', { help: 'Requests that wait', labels: byModel }, (set) => {
    for (const { name, queued } of modelsNow()) set(queued, { model: name })
  })
  gauge(
    'understudy_candidate_instances_serving',
    { help: 'Instances that are up and not in a crash loop', labels: byModel },
    (set) => {
      for (const { name, instances } of modelsNow()) {
        set(instances.filter(({ serving }) => serving).length, { model: name })
      }
    },
  )
  gauge(
    'understudy_candidate_instance_restarts',
    { help: 'Restarts of instances since the model was loaded', labels: byModel },
    (set) => {
      for (const { name, instances } of modelsNow()) {
        set(
          instances.reduce((sum, { restarts }) => sum + restarts, 0),
          { model: name },
        )
      }
    },
  )
  gauge(
    'understudy_candidate_instance_recycles',
    { help: 'Processes of instances that were replaced at a limit, since the model was loaded', labels: byModel },
    (set) => {
      for (const { name, instances } of modelsNow()) {
        set(
          instances.reduce((sum, { recycles }) => sum + recycles, 0),
          { model: name },
        )
      }
    },
  )
  gauge(
    'understudy_candidate_instance_rss_bytes',
    { help: 'Memory of an instance as of its last run, by its first CPU', labels: ['model', 'cpu'] },
    (set) => {
      for (const { name, instances } of modelsNow()) {
        for (const { placed, rssBytes } of instances) set(rssBytes, { model: name, cpu: placed.cpus[0]! })
      }
    },
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
      const known = replies.get(key)
      if (known) known.count++
      else replies.set(key, { labels: { protocol, model, status }, count: 1 })
    },
    attach,
  }
}

/** Of models with instance groups, beside what is counted of the whole model. */
function createGroupMetrics(modelsNow: () => readonly ServedModel[], registry: Registry) {
  const { gauge } = metricsOnDemand(registry)
  const labelNames = ['model', 'group'] as const
  const queueSeconds = new QuickHistogram({
    name: 'understudy_candidate_group_queue_seconds',
    help: 'From arrival until an instance took the request, by the group of its size',
    labelNames,
    buckets: secondsBuckets,
    registry,
  })
  const inferSeconds = new QuickHistogram({
    name: 'understudy_candidate_group_infer_seconds',
    help: 'One run of the session, by the group of the inputs’ size',
    labelNames,
    buckets: secondsBuckets,
    registry,
  })
  gauge(
    'understudy_candidate_group_queue_requests',
    { help: 'Requests that wait, by the group of their size', labels: labelNames },
    (set) => eachGroup((labels, { queue }) => set(queue.length, labels)),
  )
  gauge(
    'understudy_candidate_group_spilled_requests',
    { help: 'Requests that an instance of another group ran, since the model was loaded', labels: labelNames },
    (set) => eachGroup((labels, { spilled }) => set(spilled, labels)),
  )
  function eachGroup(visit: (labels: { model: string; group: string }, group: InstanceGroup) => void): void {
    for (const { name, groups } of modelsNow()) {
      if (groups.length > 1) for (const group of groups) visit({ model: name, group: group.name }, group)
    }
  }
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
