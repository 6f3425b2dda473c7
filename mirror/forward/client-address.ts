import type { Socket } from 'node:net'

/** A socket for both versions of IP shows those of version 4 as `::ffff:192.0.2.1`, which no allow-list has. */
export const clientAddress = ({ remoteAddress }: Socket): string | undefined =>
  remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '')
