import { tokensOf } from './resolve-pointer.ts'

/** A node in the tree of ignored pointers. */
interface Branch {
  steps: Map<string, Branch>
  isEnd: boolean
}

/** The position of a walk among the ignored pointers; empty once none can match any more. */
export type Ignoring = readonly Branch[]

const wildcard = '*'
const known = new WeakMap<readonly string[], Ignoring>()

/** The position at a document's root. */
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

/** The position one step further; `null` if what is there is ignored with all that it contains. */
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
