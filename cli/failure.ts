/** Exit statuses. `understudy gate` reports its verdict with them; 2 means invalid input or an unreachable server. */
export const exitCodes = { ok: 0, fail: 1, usage: 2, inconclusive: 3 } as const

/** A failure reported without a stack: its message is meant for the person at the terminal. Most are wrong input. */
export class CliFailure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.usage) {
    super(message)
    this.exitCode = exitCode
  }
}
