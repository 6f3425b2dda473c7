import type { ObservationView } from '../../../../vocabulary/observation-view.ts'

/** A list as far as it was read. */
export interface ReadList {
  observations: ObservationView[]
  nextCursor: string | null
  /** When it was asked for, ms since the epoch. */
  asOf: number
}

const listsMax = 6
const lists = new Map<string, ReadList>()

/** Lists by their address, so that the way back leads to the same place, and one observation knows its neighbours. */
export function rememberList(address: string, list: ReadList): void {
  lists.delete(address)
  lists.set(address, list)
  if (lists.size > listsMax) lists.delete(lists.keys().next().value!)
}

export function recallList(address: string): ReadList | null {
  return lists.get(address) ?? null
}

/** Where a reader stood on a list's page, kept with its entry in the browser's history. */
interface ListPlace {
  scrollY: number
  /** The observation that was opened from it, and later the last one that was looked at. */
  id: string
}

let lastLooked: { address: string; id: string } | null = null

export function lookedAt(address: string, id: string): void {
  lastLooked = { address, id }
}

export function lastLookedAt(address: string): string | null {
  return lastLooked?.address === address ? lastLooked.id : null
}

export function keepPlace(place: ListPlace): void {
  history.replaceState({ listPlace: place }, '')
}

/** `null` on an entry that is new. */
export function placeHere(): ListPlace | null {
  const state = history.state as { listPlace?: ListPlace } | null
  return state?.listPlace ?? null
}
