/** The connection could not be made: nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'NotConnected'
  }
}

/** `reset` is everything that went wrong on a connection that was there: closed early, or not HTTP. */
export function failureOf(error: Error): 'refused' | 'reset' {
  return error instanceof NotConnected ? 'refused' : 'reset'
}
