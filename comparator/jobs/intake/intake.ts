import { isMissingPartition } from '../../store/database/data-error.ts'
import type { Db } from '../../store/database/open-database.ts'
import { dayOf, dayOfId } from '../../store/observations/day-of-id.ts'
import { ensurePartitions, forgetPartitions } from '../../store/observations/partitions.ts'
import type { Comparator } from '../comparator.ts'
import { type FreshObservation, type RecordedIds, recordObservations } from './record-observations.ts'
import { type Refused, storeBisecting } from './store-bisecting.ts'

/** Limit of one transaction: more would hold its locks for too long. */
const observationsMax = 1000

interface Recorded<Item> {
  /** Ids of the new observations. */
  accepted: ReadonlySet<string>
  refused: Refused<Item>[]
  /** Observations that would have begun too many windows. */
  unsteady: Item[]
}

interface Waiting {
  items: readonly FreshObservation[]
  resolve(recorded: Recorded<FreshObservation>): void
  reject(error: unknown): void
}

/**
 * Bundles that arrive during a transaction wait for the next one, which stores them together. Without this, each would
 * pay for a transaction of its own, and hold a connection while it waits for a validation's lock.
 */
class Intake {
  readonly #waiting: Waiting[] = []
  #isRunning = false

  record(comparator: Comparator, items: readonly FreshObservation[]): Promise<Recorded<FreshObservation>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject })
      if (!this.#isRunning) this.#run(comparator)
    })
  }

  async #run(comparator: Comparator): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const bundles = this.#next()
      try {
        await recordBundles(comparator, bundles)
      } catch (error) {
        for (const { reject } of bundles) reject(error)
      }
    }
    this.#isRunning = false
  }

  #next(): Waiting[] {
    let count = 0
    let bundles = 0
    for (const { items } of this.#waiting) {
      count += items.length
      if (bundles > 0 && count > observationsMax) break
      bundles += 1
    }
    return this.#waiting.splice(0, bundles)
  }
}

const intakes = new WeakMap<Db, Intake>()

/** Stores each new observation once. Runs one transaction at a time in this process. */
export async function recordOnce<Item extends FreshObservation>(
  comparator: Comparator,
  items: readonly Item[],
): Promise<Recorded<Item>> {
  if (items.length === 0) return { accepted: new Set(), refused: [], unsteady: [] }
  const intake = intakes.getOrInsertComputed(comparator.db, () => new Intake())
  return (await intake.record(comparator, items)) as Recorded<Item>
}

/** Where bundles share an id, the first one's counts, and the later ones' are duplicates. */
async function recordBundles(comparator: Comparator, bundles: readonly Waiting[]): Promise<void> {
  const first = new Map<string, FreshObservation>()
  for (const item of bundles.flatMap(({ items }) => items)) first.getOrInsert(item.observation.id, item)
  const accepted = new Set<string>()
  const unsteady = new Set<string>()
  const refused = await storeBisecting([...first.values()], async (items) => {
    const recorded = await recordInPartitions(comparator, items)
    for (const id of recorded.accepted) accepted.add(id)
    for (const id of recorded.unsteady) unsteady.add(id)
  })
  for (const { items, resolve } of bundles) {
    const own = items.filter((item) => first.get(item.observation.id) === item)
    resolve({
      accepted: new Set(own.map(({ observation }) => observation.id).filter((id) => accepted.has(id))),
      refused: refused.filter(({ item }) => own.includes(item)),
      unsteady: own.filter(({ observation }) => unsteady.has(observation.id)),
    })
  }
}

async function recordInPartitions(
  { db, clock, retention }: Comparator,
  items: readonly FreshObservation[],
): Promise<RecordedIds> {
  const record = async () => {
    await ensurePartitions(db, 'observation', new Set(items.map(({ observation }) => dayOfId(observation.id))))
    await ensurePartitions(db, 'observation_body', new Set(items.map(({ at }) => dayOf(at))))
    const now = clock.now()
    return recordObservations(db, items, { now, bodiesFrom: now - Math.min(retention.bodies, retention.observations) })
  }
  try {
    return await record()
  } catch (error) {
    if (!isMissingPartition(error)) throw error
    forgetPartitions(db)
    return record()
  }
}
