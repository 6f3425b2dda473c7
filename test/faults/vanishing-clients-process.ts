import { startVanishingClients } from './vanishing-clients.ts'

/** For benches: every message names a port and a path that clients come to, and vanish from, until the process ends. */
process.on('message', ({ port, path }: { port: number; path: string }) => {
  startVanishingClients(port, path)
  process.send!('started')
})
process.on('disconnect', () => process.exit(0))
