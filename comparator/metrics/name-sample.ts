/**
 * Names out of models' answers (labels that no mapping declares, places in documents) are parts of rollups' keys, and
 * must not make them grow without bound. Up to `namesMax` names are kept as they are. Of more, those with the lowest
 * hashes stay (a bottom-k sample, Cohen and Kaplan 2007) and the rest are `(other)`: which ones stay depends on no
 * order, no split over writers and no frequency.
 *
 * A writer knows only the names that it has met, so it may keep one that another has given up. With each `(other)` it
 * therefore notes the hash above which it gives up, and a reader gives up what the lowest such hash says: every name is
 * counted whole, under its own name or under `(other)`.
 */
export const namesMax = 100
export const otherName = '(other)'
/** Above it, no name is given up. */
export const greatestHash = 2 ** 32 - 1

export class NameSample {
  /** Hashes of the names kept; the greatest is known once there are `namesMax`. */
  readonly #hashes = new Set<number>()
  #greatest = 0

  /** One sample for each `key`, for as long as there is the key. */
  static of<Key extends object>(samples: WeakMap<Key, NameSample>, key: Key): NameSample {
    return samples.getOrInsertComputed(key, () => new NameSample())
  }

  /** `null` where the name is kept, else the hash above which names are given up. */
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

/** The names that a reader keeps: none above `givenUpAbove`, and of these the `namesMax` with the lowest hashes. */
export function keptNames(names: Iterable<string>, givenUpAbove: number): Set<string> {
  const kept = [...new Set(names)]
    .filter((name) => name !== otherName)
    .map((name) => ({ name, hash: hashOf(name) }))
    .filter(({ hash }) => hash <= givenUpAbove)
    .sort((a, b) => a.hash - b.hash || (a.name < b.name ? -1 : 1))
  return new Set(kept.slice(0, namesMax).map(({ name }) => name))
}

/** Where an id stands in the order of a uniform sample, in [0, 1): the least `k` are one of all, over any writers. */
export function sampleKeyOf(id: string): number {
  return hashOf(id) / 2 ** 32
}

/** 32 bits: FNV-1a, mixed by MurmurHash3's finalizer, so that alike names are far apart. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Of two different labels that are both others, the candidate's: they must not look like an agreement. */
export const anotherName = '(another)'

/** A cell of the confusion matrix by the labels that are kept. */
export function foldCell(primary: string, candidate: string, isKept: (label: string) => boolean): [string, string] {
  const p = isKept(primary) && primary !== anotherName ? primary : otherName
  if (isKept(candidate) && candidate !== otherName && candidate !== anotherName) return [p, candidate]
  return [p, primary === candidate || p !== otherName ? otherName : anotherName]
}
