/** The connection could not be made: nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(wordsOf(cause), { cause })
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

/** Where a name has several addresses Node's error has no words of its own: each address has failed in its own way. */
export function wordsOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }: Error) => message).join(', ') : error.message
}

/** `reset` is everything that went wrong on a connection that was there: closed early, or not HTTP. */
export function failureOf(error: Error): 'refused' | 'reset' {
  return error instanceof NotConnected ? 'refused' : 'reset'
}
