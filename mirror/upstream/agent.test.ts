import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { closeAgent, createAgent } from './agent.ts'
import { parseTarget } from './target.ts'

test('an http-proxy-3 connection that is never idle is also closed after a minute', async () => {
  const { url } = await fakeUpstream(answering('ok'))
  const agent = createAgent(parseTarget(url), 5000)
  const start = performance.now()
  const now = vi.spyOn(performance, 'now')
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => {
    now.mockRestore()
    random.mockRestore()
    closeAgent(agent)
  })
  const ports: (number | undefined)[] = []
  for (const passedMs of [...Array.from({ length: 61 }, (_, s) => s * 1000), 60_001]) {
    now.mockReturnValue(start + passedMs)
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
    ports.push(response.socket.localPort)
    await readAll(response)
    // returned to the pool, or not, after its events
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(ports.slice(0, 61)).toEqual(Array(61).fill(ports[0]))
  expect(ports[61]).not.toBe(ports[0])
})

test.each([
  ['', 1500],
  ['Keep-Alive: max=100\r\n', 1500],
  ['Keep-Alive: max=100, timeout=3\r\n', 2000],
  ['Keep-Alive: timeout=600\r\n', 4000],
  ['Keep-Alive: timeout=1\r\n', undefined],
])('http-proxy-3 keeps an idle connection as the pool does, after an answer with %j', async (header, keptMs) => {
  const { url } = await tcpUpstream((socket) => {
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${header}\r\n`))
  })
  const agent = createAgent(parseTarget(url), 5000)
  onTestFinished(() => closeAgent(agent))
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  await readAll(response)
  await new Promise((resolve) => setImmediate(resolve))
  const kept = Object.values(agent.freeSockets).flat()
  expect(kept.map((socket) => socket?.timeout)).toEqual(keptMs === undefined ? [] : [keptMs])
  const [another] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  expect(another.socket.timeout, 'as long as a new one may be silent').toBe(5000)
  await readAll(another)
})

test('a closed agent ends idle connections now, and busy ones after their request', async () => {
  const { url } = await tcpUpstream((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{'))
    finish.push(() => socket.write('}'))
  })
  const finish: (() => void)[] = []
  const agent = createAgent(parseTarget(url), 5000)
  const ask = async () => ((await once(get(url, { agent }), 'response')) as [IncomingMessage])[0]
  const [one, other] = [await ask(), await ask()]
  const sockets = [one.socket, other.socket]
  finish[0]!()
  await readAll(one)
  await new Promise((resolve) => setImmediate(resolve))
  closeAgent(agent)
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false])
  finish[1]!()
  expect(String(await readAll(other))).toBe('{}')
  await new Promise((resolve) => setImmediate(resolve))
  expect(sockets[1]!.destroyed).toBe(true)
})

test('an idle http-proxy-3 connection is not taken after its time, even if nothing could close it yet', async () => {
  const { url } = await tcpUpstream((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  })
  const agent = createAgent(parseTarget(url), 5000)
  const start = performance.now()
  const now = vi.spyOn(performance, 'now').mockReturnValue(start)
  onTestFinished(() => {
    now.mockRestore()
    closeAgent(agent)
  })
  const ports: (number | undefined)[] = []
  for (const passedMs of [0, 1499, 2998, 4498]) {
    // timers know nothing of this clock, like those of a loop that is busy
    now.mockReturnValue(start + passedMs)
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
    ports.push(response.socket.localPort)
    await readAll(response)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(ports.slice(0, 3)).toEqual(Array(3).fill(ports[0]))
  expect(ports[3]).not.toBe(ports[0])
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
})
