import type { Turn } from '../model/turn.ts'
import type { Front, ServedAdapter } from './front.ts'
import type { HttpRequest } from './http-request.ts'
import type { RequestTimings } from './reply.ts'

/** One request to a model, from the time its model is known until its answer is written. */
export interface ModelCall extends ServedAdapter {
  front: Front
  request: HttpRequest
  turn: Turn
  /** Filled in on the way. */
  timings: RequestTimings
}
