import { setFlagsFromString } from 'node:v8'

// Must be imported first in a process that bodies pass through, such as a mirror or the front of a candidate server:
// V8's defaults cost its slowest requests tens of milliseconds each second. docs/DECISIONS.md has the figures.

/**
 * Where objects from one place in the code outlive a few collections, V8 allocates all later ones from there in the old
 * generation. After a candidate had hung for a second, every exchange was allocated old, and kept everything it
 * referred to, young or dead, alive until a full collection: scavenges took 20 ms instead of 2 for as long as the
 * process ran.
 */
setFlagsFromString('--no-allocation-site-pretenuring')

/**
 * Lets the old generation grow to three times what a full collection left. The default growth is so little beyond the
 * size of the young generation that the next full collection begins at once, since passing bodies count as growth too.
 */
setFlagsFromString('--heap-growing-percent=200')

/**
 * Memory outside the heap, which holds all bodies, counts towards the next full collection. By default every 64 MB more
 * than the last one left triggers another, even if most of it is dead and young: thirty bodies of 1 MB a second caused
 * two to four a second, of 5 to 40 ms each. With this flag a scavenge frees that memory first.
 */
setFlagsFromString('--external-memory-accounted-in-global-limit')
