import { setFlagsFromString } from 'node:v8'

// To be imported first by a process that is a mirror: V8's defaults cost production's slowest requests tens of
// milliseconds each second. docs/DECISIONS.md has the figures.

/**
 * V8 allocates what has outlived a few collections in the old generation from then on, by the place in the code that
 * makes it. After a second in which a candidate hung, every exchange was so made old, and kept what it led to, young
 * and dead, alive until a full collection: scavenges of 20 ms where 2 are enough, for as long as the process ran.
 */
setFlagsFromString('--no-allocation-site-pretenuring')

/**
 * The old generation may grow to three times what a full collection left of it. By default that is so little more than
 * the young generation's size that the next full collection begins at once: bodies that pass count as growth too.
 */
setFlagsFromString('--heap-growing-percent=200')
