import type { Socket } from 'node:net'

/** The client's side of a `Relay`. */
export interface RelayClient {
  socket: Socket
  /** Whether every response from now on must end its connection. */
  isLeaving(): boolean
  /**
   * The whole response has been sent. `isKept`: the client may send another request once this one has fully arrived.
   */
  responded(isKept: boolean): void
  /** Resumes reading the request. */
  resume(): void
}
