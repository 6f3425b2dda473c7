import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { answering, fakeUpstream } from './testing/fake-upstream.ts'
import { keepSending } from './testing/keep-sending.ts'
import { spawnMirror } from './testing/mirror-process.ts'
import { send, tempDir } from './testing/mirror-under-test.ts'

const applied = 'the config was reloaded and is in force'
const refused = 'the reloaded config was refused; the previous one stays in force'

test.each([1, 2])('SIGHUP applies a new config under load, with %i worker(s)', async (workers) => {
  let answerNow = () => {}
  const primary = await fakeUpstream((incoming, response) => {
    incoming.resume()
    if (incoming.url === '/old/slow') answerNow = () => response.end('late but whole')
    else response.end('{}')
  })
  const candidate = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const section = {
    workers,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    spool: { dir: tempDir() },
  }
  const routeTo = (path: string, validation: string) => ({ path, candidates: [{ validation, url: candidate.url }] })
  const old = { ...section, routes: [routeTo('/old', 'old'), routeTo('/both', 'both')] }
  const { mirror, child, configure, logged } = await spawnMirror(old)
  const reload = async (of: string, next: Record<string, unknown> | string) => {
    const before = logged(of).length
    configure(next)
    child.kill('SIGHUP')
    return waitFor(of, () => logged(of)[before])
  }
  const load = keepSending(`${mirror.url}/both`, 4)
  await waitFor('some load', () => load.answered > 50)
  const underWay = send(`${mirror.url}/old/slow`, { body: '{}' })
  await waitFor('a request under way', () => primary.heads.some(({ url }) => url === '/old/slow'))

  const next = { ...section, routes: [routeTo('/new', 'new'), routeTo('/both', 'both')] }
  expect(await reload(applied, next)).toMatchObject({ changed: ['routes'] })
  await send(`${mirror.url}/new`, { body: '{}' })
  await send(`${mirror.url}/old`, { body: '{}' })
  answerNow()
  expect((await underWay).body.toString()).toBe('late but whole')
  const { answered } = load
  await waitFor('more load', () => load.answered > answered + 50)

  expect(await reload(refused, 'mirror: { primary: 3 }')).toMatchObject({ problems: [{ path: 'mirror.primary' }] })
  const moved = { ...old, spool: { dir: tempDir() } }
  expect(await reload(refused, moved)).toMatchObject({ problems: [{ path: 'mirror.spool' }] })
  await send(`${mirror.url}/new`, { body: '{}' })
  await load.end()

  expect(load.failedFrom).toEqual([])
  expect(await mirror.settled('new', 2)).toMatchObject({ seen: 2, delivered: 2 })
  // requests that began on the old route ended on it; later ones were only forwarded
  expect(await mirror.settled('old', 1)).toMatchObject({ seen: 1, delivered: 1 })
  expect(await mirror.settled('both', load.begun)).toMatchObject({ seen: load.begun, delivered: load.begun })
  const { text } = await mirror.admin('/metrics')
  expect(text).toMatch(/^understudy_mirror_reloads_total\{result="applied"\} 1$/m)
  expect(text).toMatch(/^understudy_mirror_reloads_total\{result="refused"\} 2$/m)
  const [, loadedAt] = /^understudy_mirror_config_timestamp_seconds (\S+)$/m.exec(text)!
  expect(Math.abs(Number(loadedAt) - Date.now() / 1000)).toBeLessThan(90)
  const { routes } = JSON.parse((await mirror.admin('/routing')).text)
  expect(routes.map(({ path }: { path: string }) => path)).toEqual(['/new', '/both'])
})

test('shadows of the old config get the drain time, then their connections are closed', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const hung = await fakeUpstream((incoming) => void incoming.resume())
  const comparator = await fakeComparator()
  const section = {
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    spool: { dir: tempDir() },
    drain: '200ms',
  }
  const routes = [{ path: '/p', candidates: [{ validation: 'v', url: hung.url, deadline: '10m' }] }]
  const { mirror, child, configure } = await spawnMirror({ ...section, routes })
  await send(`${mirror.url}/p`, { body: '{}' })
  await waitFor('the shadow request', () => hung.heads.length === 1)
  expect((await mirror.ledger()).v).toEqual({ seen: 1, delivered: 0, pending: 1, skipped: {} })
  configure(section)
  child.kill('SIGHUP')
  expect(await mirror.settled('v', 1)).toEqual({ seen: 1, delivered: 0, pending: 0, skipped: { shed: 1 } })
  await waitFor(
    'the connection to close',
    () => new Promise<boolean>((resolve) => hung.server.getConnections((_error, open) => resolve(open === 0))),
  )
})
