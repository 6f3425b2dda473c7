export interface Fault {
  /** The fault's name on the page. */
  name: string
  /** The healthy candidate if absent. */
  candidate?: FaultyCandidate
  /** Kills the comparator once the mirrors are warm. */
  isComparatorDead?: boolean
  /** Puts the spool on a file system of one megabyte. */
  isDiskFull?: boolean
  /** Adds clients that disconnect, besides the load, on both mirrors. */
  doClientsVanish?: boolean
  /** Further fields for the route's config. */
  route?: object
  share?: number
  /** Mirroring is off on both sides: shows how far the ratios can be trusted on this machine. */
  isControl?: boolean
  /** Uses more turns, to load each mirror for a minute. */
  lasts?: 'long'
}

/**
 * `dead`: nothing listens. `noAddress`: the name cannot be resolved. The others are those of the whole-system tests.
 */
export type FaultyCandidate =
  | 'dead'
  | 'noAddress'
  | 'hung'
  | 'slowDrip'
  | 'resetMidBody'
  | 'hundredMegabytes'
  | 'headerFlood'
  | 'hugeJson'

export const control: Fault = { name: 'mirroring off on both', isControl: true }
export const noFault: Fault = { name: 'none' }

export const faults: readonly Fault[] = [
  control,
  noFault,
  { name: 'candidate dead', candidate: 'dead' },
  { name: 'candidate hangs', candidate: 'hung' },
  { name: 'candidate drips a byte at a time', candidate: 'slowDrip' },
  { name: 'candidate resets in its body', candidate: 'resetMidBody' },
  { name: 'candidate answers 100 MB', candidate: 'hundredMegabytes' },
  { name: 'candidate floods headers', candidate: 'headerFlood' },
  {
    name: 'candidate answers 1 MB of JSON to every tenth request, every request is parsed',
    candidate: 'hugeJson',
    route: { correlation: { pointer: '/id' } },
    share: 0.1,
  },
  { name: 'candidate’s name has no address', candidate: 'noAddress' },
  { name: 'comparator dead', isComparatorDead: true },
  { name: 'comparator dead, long', isComparatorDead: true, lasts: 'long' },
  { name: 'comparator dead, disk full', isComparatorDead: true, isDiskFull: true },
  { name: 'clients vanish half-way', doClientsVanish: true },
]
