import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorUnderTest, send } from './testing/mirror-under-test.ts'
import { silentAddress } from './testing/silent-address.ts'

const names = vi.hoisted(() => new Map<string, { address: string; family: number }[]>())
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof import('node:dns')>()),
  lookup: (hostname: string, _options: unknown, answer: (...result: unknown[]) => void) =>
    process.nextTick(answer, null, names.get(hostname)),
}))

const named = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))

/** The addresses of the attempts to connect to a port, in order. */
function attemptsTo(port: number): string[] {
  const attempts: string[] = []
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (address, to) => void (to === port && attempts.push(address)))
  }
  subscribe('net.client.socket', watch)
  onTestFinished(() => void unsubscribe('net.client.socket', watch))
  return attempts
}

test.each([
  ['wire', '127.0.0.2'],
  ['http-proxy-3', '127.0.0.3'],
])('over %s, connections no longer wait for an address once it was silent', async (forwarder, silent) => {
  const upstream = await fakeUpstream((request, response) => {
    response.setHeader('connection', 'close')
    answering('hello')(request, response)
  })
  await silentAddress(silent, upstream.port)
  names.set(`${forwarder}.example`, named(silent, '127.0.0.1'))
  const mirror = await mirrorUnderTest({ forwarder, primary: `http://${forwarder}.example:${upstream.port}` })
  const attempts = attemptsTo(upstream.port)
  const attemptsOfOne = async () => {
    const before = attempts.length
    expect((await send(`${mirror.url}/x`, { body: 'once' })).body.toString()).toBe('hello')
    return attempts.slice(before).join(' ')
  }
  expect(await attemptsOfOne()).toBe(`${silent} 127.0.0.1`)
  // an attempt that ended late on a busy machine was no evidence
  await waitFor('the address to come last', async () => (await attemptsOfOne()) === '127.0.0.1')
  expect([await attemptsOfOne(), await attemptsOfOne()]).toEqual(['127.0.0.1', '127.0.0.1'])
})
