export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export const interruptedStatus = 130

/** Runs a task that Ctrl-C cuts short but that still reports what it found; a second Ctrl-C ends at once. */
export async function interruptible<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupted = new AbortController()
  const interrupt = () => {
    if (interrupted.signal.aborted) process.exit(interruptedStatus)
    interrupted.abort()
  }
  for (const signal of endingSignals) process.on(signal, interrupt)
  try {
    return await run(interrupted.signal)
  } finally {
    for (const signal of endingSignals) process.off(signal, interrupt)
  }
}
