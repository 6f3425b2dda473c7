interface Task {
  steps: Generator<undefined, Buffer>
  resolve: (bytes: Buffer) => void
  reject: (error: unknown) => void
}
const tasks: Task[] = []

/** Runs `steps` with turns of the event loop between them, so that live requests come first; one task after another. */
export function runInSteps(steps: Task['steps']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (tasks.push({ steps, resolve, reject }) === 1) setImmediate(runTurn)
  })
}

/** Each turn runs as many steps as there are tasks, so that a flood of tasks is worked off instead of piling up. */
function runTurn(): void {
  for (let left = tasks.length; left > 0; left--) {
    const { steps, resolve, reject } = tasks[0]!
    try {
      const { done, value } = steps.next()
      if (!done) continue
      resolve(value)
    } catch (error) {
      reject(error)
    }
    tasks.shift()
  }
  if (tasks.length > 0) setImmediate(runTurn)
}
