/** Runs what it is given, at most `max` at once; the others wait in their order. */
export function limitConcurrency(max: number): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await run()
    } finally {
      // the place goes to the next without becoming free in between
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
