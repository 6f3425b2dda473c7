import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { startMirror } from '../server.ts'
import { type FakeComparator, fakeComparator } from '../testing/fake-comparator.ts'
import { answering, type FakeUpstream, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import {
  type MirrorUnderTest,
  mirrorConfig,
  mirrorUnderTest,
  route,
  send,
  tempDir,
} from '../testing/mirror-under-test.ts'

const routingOf = async (mirror: MirrorUnderTest) => JSON.parse((await mirror.admin('/routing')).text)
const toFollow = (mirror: MirrorUnderTest, version: number) =>
  waitFor(`routing version ${version}`, async () => (await routingOf(mirror)).version === version)
const bodyOf = async (mirror: MirrorUnderTest, id = 'x') =>
  (await send(`${mirror.url}/p`, { body: '{}', headers: { 'x-request-id': id } })).body.toString()
const last = (comparator: FakeComparator) => [...comparator.observations.values()].at(-1)!

async function setUp(
  candidate: { validation?: string; url?: string; headers?: object; liveHeaders?: object } = {},
  more: Record<string, unknown> = {},
) {
  const primary = await fakeUpstream(answering('primary'))
  const understudy = await fakeUpstream(answering('candidate'))
  const comparator = await fakeComparator()
  const spool = { dir: tempDir() }
  const section = {
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: understudy.url, ...candidate }),
    spool,
    ...more,
  }
  return { primary, understudy, comparator, section, mirror: await mirrorUnderTest(section) }
}

const isRefused = async (url: string) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  )
  socket.destroy()
  return refused
}

/** Blocks everyone who opens `file` to write until the returned function is called: a pipe waits for a reader. */
function keepWaiting(file: string): () => void {
  execFileSync('mkfifo', [file])
  const letGo = () => {
    if (!existsSync(file)) return
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    rmSync(file)
    closeSync(reader)
  }
  onTestFinished(letGo)
  return letGo
}

describe('a promotion', () => {
  test('moves live traffic to the candidate, the primary becomes the shadow, and back', async () => {
    const { mirror, comparator, primary, understudy } = await setUp()
    expect(await bodyOf(mirror)).toBe('primary')
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    expect(await bodyOf(mirror)).toBe('candidate')
    await waitFor('two observations', () => comparator.observations.size === 2)
    expect(last(comparator)).toMatchObject({
      live: 'candidate',
      primary: { kind: 'answered', body: 'primary', queuedMs: 0 },
      candidate: { kind: 'answered', body: 'candidate' },
    })
    expect(last(comparator).candidate).not.toHaveProperty('queuedMs')
    expect(primary.heads.at(-1)!.headers).toMatchObject({ 'x-understudy-shadow': '1' })
    expect(understudy.heads.at(-1)!.headers).not.toHaveProperty('x-understudy-shadow')

    comparator.route(3, { v: { livePercent: 0, state: 'rolledBack' } })
    await toFollow(mirror, 3)
    expect(await bodyOf(mirror)).toBe('primary')
    expect(await mirror.settled('v', 3)).toMatchObject({ seen: 3, delivered: 3 })
    expect(mirror.heldBytes).toBe(0)
  })

  test.each(['wire', 'http-proxy-3'])(
    'sends the candidate the headers that it needs, live and in its copies, over %s',
    async (forwarder) => {
      const headers = { set: { authorization: 'Bearer copies', 'x-tenant': 'shadow' } }
      const liveHeaders = { set: { authorization: 'Bearer live' }, remove: ['x-debug'] }
      const { mirror, comparator, primary, understudy } = await setUp({ headers, liveHeaders }, { forwarder })
      const sent = { authorization: 'Bearer theirs', 'x-debug': 'on', 'x-request-id': 'x' }
      const ask = async () => (await send(`${mirror.url}/p`, { body: '{}', headers: sent })).body.toString()
      expect(await ask()).toBe('primary')
      await waitFor('the copy', () => understudy.heads.length === 1)
      comparator.route(2, { v: { livePercent: 100 } })
      await toFollow(mirror, 2)
      expect(await ask()).toBe('candidate')
      const [copy, live] = understudy.heads.map(({ headers }) => headers)
      expect(copy).toMatchObject({ authorization: 'Bearer copies', 'x-tenant': 'shadow', 'x-debug': 'on' })
      expect(live).toMatchObject({ authorization: 'Bearer live', 'x-request-id': 'x' })
      for (const name of ['x-tenant', 'x-debug']) expect(live).not.toHaveProperty(name)
      // nor when the primary answers in the candidate's place
      await understudy.close()
      expect(await ask()).toBe('primary')
      const atPrimary = primary.heads.filter(({ headers }) => !('x-understudy-shadow' in headers))
      expect(atPrimary.map(({ headers }) => headers)).toMatchObject([sent, sent])
    },
  )

  test('of a candidate whose copies alone get a key is warned about', async () => {
    const { logger, lines } = loggerUnderTest()
    const keys = { 'X-Api-Key': 'ours', 'x-tenant': 'shadow' }
    const candidates = [
      { validation: 'forgotten', url: 'http://127.0.0.1:1', headers: { set: keys } },
      { validation: 'both', url: 'http://127.0.0.1:2', headers: { set: keys }, liveHeaders: { set: keys } },
    ]
    const config = mirrorConfig({ primary: 'http://127.0.0.1:9', routes: route(...candidates) })
    const mirror = await startMirror({ config, logger })
    onTestFinished(() => mirror.stop())
    expect(lines.filter(({ msg }) => msg.startsWith('set on copies only'))).toMatchObject([
      { validation: 'forgotten', header: 'x-api-key' },
    ])
  })

  test('by a share moves the same ids every time, about as many as it says', async () => {
    const { mirror, comparator } = await setUp()
    comparator.route(2, { v: { livePercent: 50 } })
    await toFollow(mirror, 2)
    const ids = Array.from({ length: 100 }, (_, i) => `id-${i}`)
    const answers = await Promise.all(ids.map((id) => bodyOf(mirror, id)))
    const moved = answers.filter((body) => body === 'candidate').length
    expect(moved).toBeGreaterThan(25)
    expect(moved).toBeLessThan(75)
    expect(await Promise.all(ids.map((id) => bodyOf(mirror, id)))).toEqual(answers)
  })

  test('without a reverse shadow has nothing to compare with', async () => {
    const { mirror, comparator, primary } = await setUp()
    comparator.route(2, { v: { livePercent: 100, reverseShadow: false } })
    await toFollow(mirror, 2)
    expect(await bodyOf(mirror)).toBe('candidate')
    expect(await mirror.settled('v', 1)).toMatchObject({ seen: 1, skipped: { notSampled: 1 } })
    expect(primary.heads.length).toBe(0)
  })

  test('of a candidate that is gone costs the client nothing: the primary answers', async () => {
    const { mirror, comparator, understudy } = await setUp()
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    await understudy.close()
    const body = 'x'.repeat(900_000)
    const response = await send(`${mirror.url}/p`, { body })
    expect([response.status, response.body.toString()]).toEqual([200, 'primary'])
    await waitFor('the observation', () => comparator.observations.size === 1)
    expect(last(comparator)).toMatchObject({
      live: 'primary',
      request: { bodyBytes: 900_000 },
      primary: { kind: 'answered', body: 'primary' },
      candidate: { kind: 'refused' },
    })
    await mirror.settled('v', 1)
    expect(mirror.heldBytes).toBe(0)
  })

  test('of a candidate that dies under its requests costs the clients nothing', async () => {
    const { mirror, comparator, understudy } = await setUp()
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    await bodyOf(mirror)
    understudy.server.removeAllListeners('request')
    understudy.server.on('request', hanging)
    const answers = Promise.all(Array.from({ length: 5 }, (_, i) => bodyOf(mirror, `${i}`)))
    await waitFor(
      'requests at the candidate',
      () => new Promise<boolean>((resolve) => understudy.server.getConnections((_error, count) => resolve(count >= 5))),
    )
    await understudy.close()
    expect(await answers).toEqual(Array(5).fill('primary'))
    expect(await mirror.settled('v', 6)).toMatchObject({ delivered: 6 })
  })

  test('of one of two candidates leaves the other shadowed and compared with the primary', async () => {
    const primary = await fakeUpstream(answering('primary'))
    const [a, b] = [await fakeUpstream(answering('a')), await fakeUpstream(answering('b'))]
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'a', url: a.url }, { validation: 'b', url: b.url }),
    })
    comparator.route(2, { a: { livePercent: 100 } })
    await toFollow(mirror, 2)
    expect(await bodyOf(mirror)).toBe('a')
    await waitFor('both observations', () => comparator.observations.size === 2)
    const byName = Object.fromEntries([...comparator.observations.values()].map((one) => [one.validation, one]))
    expect(byName.a).toMatchObject({ live: 'candidate', primary: { body: 'primary' }, candidate: { body: 'a' } })
    expect(byName.b).toMatchObject({ live: 'candidate', primary: { body: 'primary' }, candidate: { body: 'b' } })
    expect(primary.heads.length).toBe(1)
  })
})

describe('the routing', () => {
  test('outlives the comparator and a restart of the mirror', async () => {
    const { mirror, comparator, section } = await setUp()
    comparator.route(5, { v: { livePercent: 100 } })
    await toFollow(mirror, 5)
    await comparator.close()
    expect(await bodyOf(mirror)).toBe('candidate')
    await mirror.stop()
    const again = await mirrorUnderTest(section)
    expect(await routingOf(again)).toMatchObject({
      version: 5,
      source: 'disk',
      routes: [{ path: '/p', candidates: [{ validation: 'v', livePercent: 100 }] }],
    })
    expect(await bodyOf(again)).toBe('candidate')
    const back = await fakeComparator(comparator.port)
    back.route(2, { v: { livePercent: 0 } })
    await toFollow(again, 2)
    expect(await routingOf(again)).toMatchObject({ source: 'comparator' })
    expect(await bodyOf(again)).toBe('primary')
  })

  test('that is invalid changes nothing and is counted', async () => {
    const { mirror, comparator, section } = await setUp()
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    comparator.routeRaw({ version: 3, validations: { v: { livePercent: 300 } } })
    await waitFor('the count', async () =>
      /^understudy_mirror_malformed_routing_total [1-9]/m.test((await mirror.admin('/metrics')).text),
    )
    expect(await routingOf(mirror)).toMatchObject({ version: 2 })
    expect(await bodyOf(mirror)).toBe('candidate')
    const file = join(section.spool.dir, 'routing.json')
    await waitFor('the routing on disk', async () => existsSync(file))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 2 })
  })

  test('that comes without an ETag is not requested again at once', async () => {
    const document = { version: 1, updatedAt: new Date().toISOString(), validations: {} }
    const comparator = await fakeUpstream(answering(JSON.stringify(document)))
    const primary = await fakeUpstream(answering('primary'))
    const mirror = await mirrorUnderTest({ primary: primary.url, comparator: { url: comparator.url, token: 't' } })
    await toFollow(mirror, 1)
    for (let i = 0; i < 50; i++) await bodyOf(mirror)
    const asked = comparator.heads.filter(({ url }) => url.startsWith('/v1/routing'))
    expect(asked.length).toBeLessThan(10)
  })

  test('of a comparator that returns without news is followed again at once', async () => {
    const { logger, lines } = loggerUnderTest()
    const primary = await fakeUpstream(answering('primary'))
    const comparator = await fakeComparator()
    const mirror = await startMirror({
      config: mirrorConfig({
        primary: primary.url,
        comparator: { url: comparator.url, token: 't' },
        routes: [],
        spool: { dir: tempDir() },
      }),
      logger,
    })
    onTestFinished(() => mirror.stop())
    const isSaid = (text: string) => waitFor(text, async () => lines.some(({ msg }) => msg.includes(text)))
    await isSaid('routing')
    await comparator.close()
    await isSaid('cannot be followed')
    await fakeComparator(comparator.port)
    await isSaid('can be followed again')
  })

  test('that the comparator does not serve is logged once for each reason, and once when it does again', async () => {
    const { logger, lines } = loggerUnderTest()
    const primary = await fakeUpstream(answering('primary'))
    const starting = await fakeUpstream(answering('starting', {}, 503))
    const { port } = starting
    const mirror = await startMirror({
      config: mirrorConfig({
        primary: primary.url,
        comparator: { url: starting.url, token: 'unknown' },
        routes: [],
        spool: { dir: tempDir() },
      }),
      logger,
    })
    onTestFinished(() => mirror.stop())
    const askedOf = ({ heads }: FakeUpstream) => heads.filter(({ url }) => url.startsWith('/v1/routing')).length
    const said = () => lines.filter(({ msg }) => msg.includes('follow')).map(({ level, reason }) => [level, reason])
    await waitFor('four questions', async () => askedOf(starting) >= 4)
    const refusal = ['warn', 'status 503: starting']
    expect(said()).toEqual([refusal])
    await starting.close()
    const refusing = await fakeUpstream(answering('{"code":"UNAUTHENTICATED"}', {}, 401), port)
    await waitFor('three questions', async () => askedOf(refusing) >= 3)
    // meanwhile no connection was possible
    const reasons = () => said().filter(([level, reason]) => level === 'info' || String(reason).startsWith('status'))
    const unknown = ['warn', 'status 401: {"code":"UNAUTHENTICATED"}']
    expect(reasons()).toEqual([refusal, unknown])
    await refusing.close()
    await fakeComparator(port)
    await waitFor('the last line', async () => said().some(([level]) => level === 'info'))
    expect(reasons()).toEqual([refusal, unknown, ['info', undefined]])
  })

  test('that the disk did not take is written once it works, without a restart', async () => {
    const { mirror, comparator, section } = await setUp()
    const { dir } = section.spool
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    const unstored = async () => /^understudy_mirror_routing_unstored 1$/m.test((await mirror.admin('/metrics')).text)
    const onDisk = () => JSON.parse(readFileSync(join(dir, 'routing.json'), 'utf8'))
    await waitFor('it on disk', async () => !(await unstored()))
    mkdirSync(join(dir, 'routing.json.new'))
    comparator.route(3, { v: { livePercent: 0, state: 'rolledBack' } })
    await toFollow(mirror, 3)
    await waitFor('the disk to fail', unstored)
    expect(onDisk()).toMatchObject({ version: 2 })
    rmdirSync(join(dir, 'routing.json.new'))
    await waitFor('it on disk', async () => !(await unstored()))
    expect(onDisk()).toMatchObject({ version: 3 })
    await comparator.close()
    await mirror.stop()
    const again = await mirrorUnderTest(section)
    expect(await bodyOf(again)).toBe('primary')
  })

  test('is followed while a write to disk hangs', async () => {
    const { mirror, comparator, section } = await setUp()
    const file = join(section.spool.dir, 'routing.json')
    await waitFor('the first one on disk', () => existsSync(file))
    const letGo = keepWaiting(`${file}.new`)
    comparator.route(2, { v: { livePercent: 100 } })
    await toFollow(mirror, 2)
    comparator.route(3, { v: { livePercent: 0, state: 'rolledBack' } })
    await toFollow(mirror, 3)
    expect(await bodyOf(mirror)).toBe('primary')
    letGo()
    await waitFor('the last one on disk', () => JSON.parse(readFileSync(file, 'utf8')).version === 3)
  })

  test('does not delay a client’s drain while a write to disk hangs', async () => {
    let answerNow = () => {}
    const primary = await fakeUpstream((_request, response) => {
      answerNow = () => response.end('late but whole')
    })
    const comparator = await fakeComparator()
    const spool = { dir: tempDir() }
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      drain: '20s',
      spool,
    })
    const file = join(spool.dir, 'routing.json')
    await waitFor('the first one on disk', () => existsSync(file))
    const letGo = keepWaiting(`${file}.new`)
    comparator.route(2, {})
    await toFollow(mirror, 2)
    const answer = bodyOf(mirror)
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    const stopped = mirror.stop()
    await waitFor('new connections to be refused', () => isRefused(mirror.url))
    answerNow()
    expect(await answer).toBe('late but whole')
    letGo()
    await stopped
  })

  test('on disk that is torn counts as absent: the primary is live', async () => {
    const spool = { dir: tempDir() }
    writeFileSync(join(spool.dir, 'routing.json'), '{"version":4,"valid')
    const primary = await fakeUpstream(answering('primary'))
    const mirror = await mirrorUnderTest({
      primary: primary.url,
      comparator: { url: 'http://127.0.0.1:9', token: 't' },
      routes: route({ validation: 'v', url: 'http://127.0.0.1:9' }),
      spool,
    })
    expect(await routingOf(mirror)).toMatchObject({ version: 0, source: 'config' })
    expect(await bodyOf(mirror)).toBe('primary')
  })
})
