/** The connection could not be made: nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'NotConnected'
  }
}

/** Not the upstream's doing: a defect of ours, or no memory left. Ends this connection, and no other. */
export class OwnFault extends Error {
  constructor(cause: unknown) {
    super('an answer could not be read', { cause })
    this.name = 'OwnFault'
  }
}

/** `reset` is everything that went wrong on a connection that was there: closed early, or not HTTP. */
export function failureOf(error: Error): 'refused' | 'reset' {
  return error instanceof NotConnected ? 'refused' : 'reset'
}
