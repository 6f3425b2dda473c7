const samplingSeed = 0x5eed_5a3f
const liveSeed = 0x11fe_b0c7
const logSeed = 0x0106_5eed

/** Whether this correlation id is in the sample: the same on every mirror and across restarts. */
export function isSampled(correlationId: string, share: number): boolean {
  if (share >= 1) return true
  return hash32(correlationId, samplingSeed) < share * 2 ** 32
}

/** A value in [0, 100), independent of `isSampled`, that decides who is live for this correlation id. */
export function liveBucket(correlationId: string): number {
  return (hash32(correlationId, liveSeed) / 2 ** 32) * 100
}

/** Whether the access log has a line for this id; independent of both. */
export function isLogged(id: string, share: number): boolean {
  return hash32(id, logSeed) < share * 2 ** 32
}

/** FNV-1a over UTF-16 code units, then MurmurHash3's 32-bit finalizer, because FNV's high bits alone are uneven. */
function hash32(text: string, seed: number): number {
  let hash = 0x811c_9dc5 ^ seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
