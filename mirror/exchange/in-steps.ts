interface Work {
  steps: Generator<undefined, Buffer>
  resolve: (bytes: Buffer) => void
  reject: (error: unknown) => void
}
const works: Work[] = []

/** Runs `steps` with turns of the event loop between them, so that live requests come first; one task after another. */
export function inSteps(steps: Work['steps']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (works.push({ steps, resolve, reject }) === 1) setImmediate(workOn)
  })
}

/** Each turn runs as many steps as there are tasks, so that a flood of tasks is worked off instead of piling up. */
function workOn(): void {
  for (let left = works.length; left > 0; left--) {
    const { steps, resolve, reject } = works[0]!
    try {
      const { done, value } = steps.next()
      if (!done) continue
      resolve(value)
    } catch (error) {
      reject(error)
    }
    works.shift()
  }
  if (works.length > 0) setImmediate(workOn)
}
