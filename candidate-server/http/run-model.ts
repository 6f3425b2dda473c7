import type { ApiError } from '../../runtime/api-error.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { badInput, clientGone, serveError, versionEnding } from '../errors.ts'
import type { ServedModel } from '../model/served-model.ts'
import { unequalDimension } from '../tensor/check-inputs.ts'
import type { Tensors } from '../tensor/tensor.ts'
import type { ModelCall } from './model-call.ts'

/** What the client asks of the queue; 0 means that it leaves that to the server. */
interface Wishes {
  priority: number
  /** How long the request may wait for an instance. */
  timeoutMs: Milliseconds
}

/** Returns the model's outputs and fills in the timings, or throws the error that the client gets. */
export async function runModel(
  { served, turn, timings }: ModelCall,
  inputs: Tensors,
  { priority, timeoutMs }: Wishes = { priority: 0, timeoutMs: 0 },
): Promise<Tensors> {
  const { shadow, client } = turn
  const outcome = await served.infer(inputs, client, { shadow, priority, timeoutMs: timeoutMs || undefined })
  switch (outcome.kind) {
    case 'answered':
      Object.assign(timings, outcome.timings)
      return outcome.outputs
    case 'failed':
      throw failure(served, inputs, outcome.message)
    case 'queueFull':
      throw serveError('QUEUE_FULL', `the queue of ${served.name} is full; try again later`)
    case 'expired':
      throw serveError(
        'QUEUE_TIMEOUT',
        `${served.name} could not start the request within ${timeoutMs > 0 && timeoutMs < served.waitMsMax ? 'its timeout parameter' : 'queue.timeout'}`,
      )
    case 'instanceLost':
      throw serveError(
        'INSTANCE_LOST',
        outcome.limit
          ? `the run took ${outcome.limit === 'limits.runTimeout' ? 'longer' : 'more memory'} than ${outcome.limit}, so the instance of ${served.name} was ended; if this recurs, send less at once`
          : `the instance of ${served.name} ended while it ran the request; try again`,
      )
    case 'notReady':
      throw serveError('MODEL_NOT_READY', `no instance of ${served.name} stays up; see the server’s log`)
    case 'stopping':
      throw versionEnding()
    case 'clientGone':
      throw clientGone()
  }
}

function failure({ loaded }: ServedModel, inputs: Tensors, message: string): ApiError {
  const unequal = unequalDimension(loaded.info, inputs)
  if (unequal) return badInput(`expected one size of each dimension, but ${unequal}: the model failed: ${message}`)
  return serveError('MODEL_FAILED', `the model failed: ${message}`)
}
