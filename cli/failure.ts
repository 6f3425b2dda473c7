/** `understudy gate` answers in its exit status; 2 is for what could not be understood or reached. */
export const exitCodes = { ok: 0, fail: 1, usage: 2, inconclusive: 3 } as const

/** An end that needs no stack: the message is for the person at the terminal. */
export class CliFailure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
