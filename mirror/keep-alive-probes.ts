/**
 * TCP keep-alive for accepted sockets: if a peer vanishes silently (a dead machine, an expired NAT entry), its
 * connection ends some twenty seconds later, even if nothing is being sent and no other limit is near.
 */
export const keepAliveProbes = { keepAlive: true, keepAliveInitialDelay: 10_000 } as const
