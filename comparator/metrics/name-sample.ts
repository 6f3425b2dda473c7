/**
 * Names from models' answers (labels that no mapping declares, places in documents) are part of rollups' keys, which
 * must not grow without bound. Up to `namesMax` names are kept as they are. Of more, those with the lowest hashes are
 * kept (a bottom-k sample, Cohen and Kaplan 2007) and the rest become `(other)`. Which ones are kept does not depend on
 * order, frequency, or the number of writers.
 *
 * A writer knows only the names that it has met, so it may keep one that another has given up. So with each `(other)`
 * it stores the hash above which it gives names up, and readers apply the lowest such hash to all names. Every name is
 * thus counted whole, either under its own name or under `(other)`.
 */
export const namesMax = 100
export const otherName = '(other)'
/** The greatest hash: as a threshold, it gives up no name. */
export const greatestHash = 2 ** 32 - 1

export class NameSample {
  /** Hashes of the names kept. */
  readonly #hashes = new Set<number>()
  #greatest = 0

  /** The sample of a `key`, which lives as long as the key. */
  static of<Key extends object>(samples: WeakMap<Key, NameSample>, key: Key): NameSample {
    return samples.getOrInsertComputed(key, () => new NameSample())
  }

  /** `null` if the name is kept, else the hash above which names are given up. */
  givenUpAbove(name: string): number | null {
    const hash = hashOf(name)
    if (this.#hashes.has(hash)) return null
    if (this.#hashes.size >= namesMax) {
      if (hash > this.#greatest) return this.#greatest
      this.#hashes.delete(this.#greatest)
    }
    this.#hashes.add(hash)
    this.#greatest = Math.max(...this.#hashes)
    return null
  }
}

/** The names that a reader keeps: of those with hashes up to `givenUpAbove`, the `namesMax` lowest. */
export function keptNames(names: Iterable<string>, givenUpAbove: number): Set<string> {
  const kept = [...new Set(names)]
    .filter((name) => name !== otherName)
    .map((name) => ({ name, hash: hashOf(name) }))
    .filter(({ hash }) => hash <= givenUpAbove)
    .sort((a, b) => a.hash - b.hash || (a.name < b.name ? -1 : 1))
  return new Set(kept.slice(0, namesMax).map(({ name }) => name))
}

/**
 * An id's place in the order of a uniform sample, in [0, 1): the `k` smallest of all are a sample, over any writers.
 */
export function sampleKeyOf(id: string): number {
  return hashOf(id) / 2 ** 32
}

/** A 32-bit hash: FNV-1a, mixed by MurmurHash3's finalizer, so that similar names are far apart. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The candidate's label where both labels are others but differ, so that they do not look like an agreement. */
export const anotherName = '(another)'

/** A cell of the confusion matrix, with labels that are not kept replaced by `(other)` or `(another)`. */
export function foldCell(primary: string, candidate: string, isKept: (label: string) => boolean): [string, string] {
  const p = isKept(primary) && primary !== anotherName ? primary : otherName
  if (isKept(candidate) && candidate !== otherName && candidate !== anotherName) return [p, candidate]
  return [p, primary === candidate || p !== otherName ? otherName : anotherName]
}
