import { expect, onTestFinished, test } from 'vitest'
import { testModel } from '../../candidate-server/testing/start-test-server.ts'
import { startServer } from './server-process.ts'

const section = (file: string) => ({
  cpu: { instances: 1, threads: 1 },
  models: [{ name: 'm', path: testModel(file) }],
})

test('servers that start at once each report the port that the system has assigned', async () => {
  const { signal } = new AbortController()
  const servers = await Promise.all([1, 2].map(() => startServer(section('sum'), signal)))
  onTestFinished(async () => void (await Promise.all(servers.map(({ stop }) => stop()))))
  expect(new Set(servers.map(({ url }) => url.port)).size).toBe(2)
  for (const { url } of servers) expect((await fetch(new URL('/readyz', url))).status).toBe(200)
})

test('a server that cannot start is an error in its own words', async () => {
  await expect(startServer(section('zipmap'), new AbortController().signal)).rejects.toThrow(/^model m: output prob/)
})

test('an interrupt ends a server that is starting', async () => {
  const interrupt = new AbortController()
  const starting = startServer(section('sum'), interrupt.signal)
  interrupt.abort(new Error('interrupted'))
  await expect(starting).rejects.toThrow('interrupted')
})
