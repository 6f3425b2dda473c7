import { EventEmitter } from 'node:events'
import { getDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SilentAddresses } from './silent-addresses.ts'

const named = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))

test('an address stays last until it answers, but one caller in each minute tries it in its place', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => now.mockRestore())
  const silent = new SilentAddresses()
  const socketTo = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress })
    silent.watch(socket as unknown as Socket)
    socket.emit('connectionAttempt')
    return socket
  }
  const order = () => silent.last(named('10.0.0.1', '10.0.0.2', '10.0.0.3')).map(({ address }) => address.at(-1))
  expect(order().join('')).toBe('123')
  socketTo('10.0.0.2').emit('connectionAttemptTimeout', '10.0.0.1')
  expect([order(), order()].join(' ')).toBe('2,3,1 2,3,1')
  now.mockReturnValue(60_000)
  expect([order(), order()].join(' ')).toBe('1,2,3 2,3,1')
  // of several that are silent, none is lost
  socketTo('10.0.0.3').emit('connectionAttemptTimeout', '10.0.0.2')
  expect(order().join('')).toBe('312')
  socketTo('10.0.0.1').emit('connect')
  expect(order().join('')).toBe('132')
  // one that no name has any more is forgotten
  now.mockReturnValue(200_000)
  socketTo('10.0.0.3').emit('connectionAttemptTimeout', '10.0.0.3')
  expect([order(), order()].join(' ')).toBe('1,2,3 1,2,3')
})

test.each([
  ['in its own time makes its address the last', getDefaultAutoSelectFamilyAttemptTimeout(), ['10.0.0.2', '10.0.0.1']],
  ['late because the mirror was busy says nothing', 2000, ['10.0.0.1', '10.0.0.2']],
])('an attempt that ends %s', (_, tookMs, order) => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => now.mockRestore())
  const silent = new SilentAddresses()
  const socket = new EventEmitter()
  silent.watch(socket as unknown as Socket)
  socket.emit('connectionAttempt')
  now.mockReturnValue(tookMs)
  socket.emit('connectionAttemptTimeout', '10.0.0.1')
  expect(silent.last(named('10.0.0.1', '10.0.0.2'))).toEqual(named(...order))
})
