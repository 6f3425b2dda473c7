import { isStorable } from './answer.ts'
import { escapeToken } from './read/resolve-pointer.ts'

/** A place in a document, linked towards the root, which is `null`. */
export interface Place {
  parent: Place | null
  token: string
}

/** Limit per document; the rest become `(other)`. */
const pathsMax = 32
const otherPath = '(other)'
const pathStepsMax = 32
const pathCharsMax = 200

/** Collects the places where two documents differ, each once, as pointers fit to be part of a rollup's key. */
export class FieldPaths {
  readonly #paths = new Set<string>()

  add(place: Place | null): void {
    const path = pathOf(place)
    if (!this.#paths.has(path)) this.#paths.add(this.#paths.size < pathsMax ? path : otherPath)
  }

  toArray(): string[] {
    return [...this.#paths]
  }
}

function pathOf(place: Place | null): string {
  let path = ''
  let steps = 0
  for (let at = place; at !== null; at = at.parent) {
    path = `/${escapeToken(at.token)}${path}`
    if (++steps > pathStepsMax || path.length > pathCharsMax) return otherPath
  }
  return isStorable(path) ? path : otherPath
}
