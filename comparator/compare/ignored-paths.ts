import { tokensOf } from './resolve-pointer.ts'

/** A tree of the pointers to ignore: which of them a walk has begun, step by step. */
interface Branch {
  steps: Map<string, Branch>
  isEnd: boolean
}

/** Where a walk stands among the ignored pointers; empty where none can be met any more. */
export type Ignoring = readonly Branch[]

const wildcard = '*'
const known = new WeakMap<readonly string[], Ignoring>()

/** The walk at a document's root. */
export function ignoring(pointers: readonly string[]): Ignoring {
  let start = known.get(pointers)
  if (start === undefined) {
    const root: Branch = { steps: new Map(), isEnd: false }
    for (const pointer of pointers) {
      let branch = root
      for (const token of tokensOf(pointer)) {
        const next = branch.steps.get(token) ?? { steps: new Map(), isEnd: false }
        branch.steps.set(token, next)
        branch = next
      }
      branch.isEnd = true
    }
    start = root.steps.size === 0 ? [] : [root]
    known.set(pointers, start)
  }
  return start
}

/** The walk one step on; `null` where what stands there is ignored, with all within. */
export function ignoringAt(at: Ignoring, token: string): Ignoring | null {
  if (at.length === 0) return at
  const next: Branch[] = []
  for (const { steps } of at) {
    for (const branch of [steps.get(token), steps.get(wildcard)]) {
      if (branch?.isEnd) return null
      if (branch !== undefined && !next.includes(branch)) next.push(branch)
    }
  }
  return next
}
