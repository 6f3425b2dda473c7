import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** For programs that cannot report which port they chose. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves once the port accepts connections; rejects with what `check` throws, or after `deadlineMs`. */
export async function untilListening(port: number, deadlineMs: number, check: () => void): Promise<void> {
  const deadlineAt = performance.now() + deadlineMs
  while (!(await accepts(port))) {
    check()
    if (performance.now() > deadlineAt) throw new Error(`nothing listens on port ${port} after ${deadlineMs} ms`)
    await sleep(20)
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
