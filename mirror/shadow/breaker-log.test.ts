import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { mirrorConfig, route, send, tempDir } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'

test('an open breaker is logged once, however often the config is reloaded, and once when it is dropped', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const { url } = await tcpUpstream((socket) => socket.destroy())
  const withBreaker = (failures: number) => ({
    primary: primary.url,
    comparator: { url: 'http://127.0.0.1:9', token: 't' },
    spool: { dir },
    routes: route({ validation: 'v', url, breaker: { failures, cooldown: '10m' } }),
  })
  const dir = tempDir()
  const { mirror, lines } = await loggedMirror(withBreaker(1))
  const told = () => lines.filter(({ msg }) => msg.startsWith('the circuit breaker'))
  await send(`${mirror.url}/p`, { body: '{}' })
  const open = { msg: expect.stringContaining('is open'), validation: 'v', upstreams: [url] }
  await waitFor('the breaker', () => told().length > 0)

  const prepare = (failures: number) => mirror.prepare(mirrorConfig(withBreaker(failures)))
  await (await prepare(2)).discard()
  await (await prepare(3)).apply()
  expect(told()).toEqual([expect.objectContaining(open)])
  await (await prepare(0)).apply()
  expect(told().slice(1)).toEqual([expect.objectContaining({ ...open, msg: expect.stringContaining('is closed') })])
})
