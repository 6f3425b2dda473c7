import type { Socket } from 'node:net'

/** A dual-stack socket shows IPv4 addresses as `::ffff:192.0.2.1`, a form that no allow-list contains. */
export const clientAddress = ({ remoteAddress }: Socket): string | undefined =>
  remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, '')
