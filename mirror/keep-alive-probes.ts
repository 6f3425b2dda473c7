/**
 * TCP's own probes, as servers take them: a peer that is gone without a word (a machine, a NAT's entry) ends its
 * connection some twenty seconds later, also where nothing is to be sent and no other limit is near.
 */
export const keepAliveProbes = { keepAlive: true, keepAliveInitialDelay: 10_000 } as const
