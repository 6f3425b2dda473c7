import { ApiError } from '../../runtime/api-error.ts'
import type { ErrorBody } from '../../vocabulary/problem.ts'

/**
 * A client error in the format of the app server that a module mimics. On the model's own paths, `body` is the whole
 * answer.
 */
export class AdapterRefusal extends ApiError {
  readonly body: unknown

  constructor(status: number, message: string, body: unknown) {
    super(status, 'BAD_INPUT', message)
    this.body = body
  }

  override toBody(): ErrorBody {
    return this.body as ErrorBody
  }
}
