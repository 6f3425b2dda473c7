import type { Clock } from '../../runtime/clock.ts'
import { groupName, helps } from '../batch/dispatch.ts'
import { type BatchLimits, type Queued, RequestQueue } from '../batch/request-queue.ts'
import type { DispatchConfig } from '../config/dispatch.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { Tensors } from '../tensor/tensor.ts'
import type { InferOutcome } from './infer-outcome.ts'
import { InferenceStatistics } from './inference-statistics.ts'
import type { WaitingClient } from './waiting-client.ts'

/** A request in its group's queue or in a batch. */
export interface Waiting extends Queued {
  inputs: Tensors
  group: InstanceGroup
  client: WaitingClient
  settle: (outcome: InferOutcome) => void
}

/** The instances for inputs of a certain size; a model without `dispatch` has a single group. */
export interface InstanceGroup {
  /** Its `upTo`, or `rest`. */
  name: string
  instances: PinnedInstance[]
  queue: RequestQueue<Waiting>
  statistics: InferenceStatistics
  /** Requests of this group that another group's instance ran. */
  spilled: number
}

/** An instance and the groups it works for. */
export interface Duty {
  instance: PinnedInstance
  own: InstanceGroup
  /** Groups whose requests it takes when its own has none, nearest first. */
  others: InstanceGroup[]
}

interface GroupsOptions {
  /** One per group. */
  batch: readonly BatchLimits[]
  instances: readonly PinnedInstance[]
  dispatch?: DispatchConfig | undefined
  queue: { max: number }
  clock: Clock
}

export function createGroups({ batch, instances, dispatch, queue, clock }: GroupsOptions): InstanceGroup[] {
  return batch.map((limits, g) => ({
    name: groupName(dispatch?.groups[g] ?? {}),
    instances: instances.filter(({ placed }) => placed.group === g),
    queue: new RequestQueue<Waiting>(queue.max, limits),
    statistics: new InferenceStatistics(clock),
    spilled: 0,
  }))
}

export const dutiesOf = (groups: readonly InstanceGroup[], dispatch: DispatchConfig | undefined): Duty[] =>
  groups.flatMap((own, g) =>
    own.instances.map((instance) => ({
      instance,
      own,
      others: helps(dispatch?.spillOver ?? 'none', g, groups.length).map((other) => groups[other]!),
    })),
  )
