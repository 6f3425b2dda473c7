interface Work {
  steps: Generator<undefined, Buffer>
  resolve: (bytes: Buffer) => void
  reject: (error: unknown) => void
}
const works: Work[] = []

/** Works through `steps` with turns of the loop between, in which live requests come first; one work after another. */
export function inSteps(steps: Work['steps']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (works.push({ steps, resolve, reject }) === 1) setImmediate(workOn)
  })
}

/** In one turn as many steps as there are works, so that a flood of them takes its time instead of piling up. */
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
