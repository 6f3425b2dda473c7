import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answering, fakeUpstream, readAll } from '../testing/fake-upstream.ts'
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
  for (const passedMs of [0, 30_000, 60_000, 60_001]) {
    now.mockReturnValue(start + passedMs)
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
    ports.push(response.socket.localPort)
    await readAll(response)
    // returned to the pool, or not, after its events
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(ports.slice(0, 3)).toEqual(Array(3).fill(ports[0]))
  expect(ports[3]).not.toBe(ports[0])
})
