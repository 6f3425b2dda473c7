export interface Fault {
  /** As the page calls it. */
  name: string
  /** The healthy one where there is none. */
  candidate?: FaultyCandidate
  /** Killed once the mirrors are warm. */
  isComparatorDead?: boolean
  /** The spool's file system holds a megabyte. */
  isDiskFull?: boolean
  /** Others, beside the load, on both mirrors. */
  doClientsVanish?: boolean
  /** Further fields in the config. */
  route?: object
  share?: number
  /** Mirroring is off on both: what these ratios are worth on this machine. */
  isControl?: boolean
  /** More turns, for a minute on each mirror. */
  lasts?: 'long'
}

/** `dead`: nothing listens. `noAddress`: its name can't be resolved. The others are those of the whole-system tests. */
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
