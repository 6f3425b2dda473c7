import { createServer, type Server } from 'node:net'

/** Vitest numbers its processes from 1; those that run at once have different numbers. */
const firstPort = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 8) * 2500
const given = new Set<number>()

/**
 * The first of `count` consecutive free ports. They lie below the kernel's range for outgoing connections, so no
 * connection of another test can take one meanwhile; and no other test process is given them, though nobody listens
 * there until a server has started.
 */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = firstPort + Math.floor(Math.random() * (2500 - count))
    const ports = Array.from({ length: count }, (_, i) => base + i)
    if (ports.some((port) => given.has(port))) continue
    const servers = await Promise.allSettled(ports.map(listen))
    for (const server of servers) {
      if (server.status === 'fulfilled') await new Promise((resolve) => server.value.close(resolve))
    }
    if (servers.some(({ status }) => status === 'rejected')) continue
    for (const port of ports) given.add(port)
    return base
  }
}

function listen(port: number): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
  })
}
