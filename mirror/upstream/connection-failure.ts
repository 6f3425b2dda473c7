/** The connection could not be made, so nothing was sent. */
export class NotConnected extends Error {
  constructor(cause: Error) {
    super(wordsOf(cause), { cause })
    this.name = 'NotConnected'
  }
}

/** Not the upstream's fault but ours: a bug, or no memory left. Ends this connection only. */
export class OwnFault extends Error {
  constructor(cause: unknown) {
    super('an answer could not be read', { cause })
    this.name = 'OwnFault'
  }
}

/** If a name has several addresses, Node's error has no message of its own: each address failed in its own way. */
export function wordsOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }: Error) => message).join(', ') : error.message
}

/** `reset` covers every failure of an established connection: closed early, or not HTTP. */
export function failureOf(error: Error): 'refused' | 'reset' {
  return error instanceof NotConnected ? 'refused' : 'reset'
}
