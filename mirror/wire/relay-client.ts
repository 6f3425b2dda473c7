import type { Socket } from 'node:net'

/** The client's side of an exchange. */
export interface RelayClient {
  socket: Socket
  /** Whether every response from now on ends its connection. */
  isLeaving(): boolean
  /** The response has gone out whole; `isKept` where the client may send another request once this one is through. */
  responded(isKept: boolean): void
  /** Takes more of the request again. */
  resume(): void
}
