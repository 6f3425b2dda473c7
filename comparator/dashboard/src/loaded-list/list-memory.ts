import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'

/** The part of a list that has been loaded. */
export interface ReadList {
  observations: ObservationView[]
  nextCursor: string | null
  /** When it was requested, in ms since the epoch. */
  asOf: number
}

const listsMax = 6
const lists = new Map<string, ReadList>()

/** Remembers lists by address, so that going back leads to the same place and an observation knows its neighbours. */
export function rememberList(address: string, list: ReadList): void {
  lists.delete(address)
  lists.set(address, list)
  if (lists.size > listsMax) lists.delete(lists.keys().next().value!)
}

export function recallList(address: string): ReadList | null {
  return lists.get(address) ?? null
}

/** Where a reader was on a list's page, stored with its entry in the browser's history. */
interface ListPlace {
  scrollY: number
  /** The observation opened from the list, later the last one viewed. */
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

/** `null` for a new history entry. */
export function placeHere(): ListPlace | null {
  const state = history.state as { listPlace?: ListPlace } | null
  return state?.listPlace ?? null
}
