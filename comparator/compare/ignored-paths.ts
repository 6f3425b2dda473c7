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
  return known.getOrInsertComputed(pointers, () => {
    const root: Branch = { steps: new Map(), isEnd: false }
    for (const pointer of pointers) {
      let branch = root
      for (const token of tokensOf(pointer)) {
        branch = branch.steps.getOrInsertComputed(token, () => ({ steps: new Map(), isEnd: false }))
      }
      branch.isEnd = true
    }
    return root.steps.size === 0 ? [] : [root]
  })
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
