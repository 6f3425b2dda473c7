import { setFlagsFromString } from 'node:v8'

// To be imported first by a process that bodies pass through, a mirror or the front of a candidate server: V8's
// defaults cost its slowest requests tens of milliseconds each second. docs/DECISIONS.md has the figures.

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

/**
 * Memory outside of the heap, where all bodies are, counts towards when the whole is collected next. By default 64 MB
 * more of it than the last full collection left bring another, however much of it is dead and young: bodies of 1 MB,
 * thirty a second, brought two to four a second, each 5 to 40 ms. So a scavenge gives it back first.
 */
setFlagsFromString('--external-memory-accounted-in-global-limit')
