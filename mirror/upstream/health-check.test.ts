import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../runtime/logger.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { startMirror } from '../server.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { type MirrorUnderTest, mirrorConfig, mirrorUnderTest, send, tempDir } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { localhost } from '../testing/tls/files.ts'

const healthCheck = { path: '/ping', interval: '20ms', timeout: '5s', unhealthyAfter: 3, healthyAfter: 2 }

const healthOf = async (mirror: MirrorUnderTest) =>
  (JSON.parse((await mirror.admin('/routing')).text).upstreams as { isHealthy: boolean }[]).map(
    ({ isHealthy }) => isHealthy,
  )

/** Answers `/ping` as told, and everything else with its name. */
async function primaryNamed(name: string) {
  const state = { status: 200, pings: 0 }
  const upstream = await fakeUpstream((request, response) => {
    if (request.url !== '/prefix/ping') return answering(name)(request, response)
    state.pings++
    return answering('pong', {}, state.status)(request, response)
  })
  return Object.assign(state, { url: `${upstream.url}/prefix`, upstream })
}

describe('health checks of several primaries', () => {
  test('an upstream that fails often enough gets no requests until it recovers, and each change is logged once', async () => {
    const [first, second] = [await primaryNamed('first'), await primaryNamed('second')]
    const { mirror, logged } = await loggedMirror({ primary: { urls: [first.url, second.url], healthCheck } })
    await waitFor('checks of both', () => first.pings > 1 && second.pings > 1)
    expect(await healthOf(mirror)).toEqual([true, true])

    second.status = 503
    const before = second.pings
    await waitFor('the change', async () => !(await healthOf(mirror))[1])
    expect(second.pings - before).toBeGreaterThanOrEqual(3)
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(`${mirror.url}/x`)))
    expect(new Set(answers.map(({ body }) => body.toString()))).toEqual(new Set(['first']))
    expect(logged('a primary is unhealthy')).toMatchObject([{ upstream: second.url, reason: 'it answered 503' }])
    expect((await mirror.admin('/metrics')).text).toMatch(/understudy_mirror_upstream_healthy\{upstream="[^"]+"\} 0/)

    second.status = 200
    await waitFor('the recovery', async () => (await healthOf(mirror))[1])
    expect(logged('a primary is healthy again')).toMatchObject([{ upstream: second.url }])
    expect(logged('a primary is unhealthy')).toHaveLength(1)
  })

  test('it takes as many results in a row as configured, one way and the other', async () => {
    const statuses = [200, 503, 503, 200, 503, 503, 503, 200, 503, 200, 200, 200]
    /** How many changes had been logged when each check came. */
    const changes: number[] = []
    const started = Promise.withResolvers<(msg: string) => unknown[]>()
    const primary = await fakeUpstream(async (request, response) => {
      const logged = await started.promise
      changes.push(logged('a primary is unhealthy').length + logged('a primary is healthy again').length)
      answering('pong', {}, statuses[changes.length - 1])(request, response)
    })
    const patient = { ...healthCheck, timeout: '60s' }
    const { logged } = await loggedMirror({ primary: { urls: [primary.url], healthCheck: patient } })
    started.resolve(logged)
    await waitFor('all checks', () => changes.length >= statuses.length)
    expect(changes.slice(0, statuses.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2])
  })

  test('an upstream that hangs from the start is found by the first check', async () => {
    const answers = await primaryNamed('answers')
    const hangs = await tcpUpstream(() => {})
    const impatient = { ...healthCheck, timeout: '500ms' }
    const { mirror, logged } = await loggedMirror({
      primary: { urls: [hangs.url, answers.url], healthCheck: impatient },
    })
    await waitFor('the first check to end', () => logged('a primary is unhealthy').length > 0)
    expect((await healthOf(mirror))[0]).toBe(false)
    expect(logged('a primary is unhealthy')[0]!.reason).toBe('no complete answer within 500 ms')
    expect((await send(`${mirror.url}/x`)).body.toString()).toBe('answers')
  })

  test('if none is healthy, requests still go to them, and the mirror stays ready', async () => {
    const only = await primaryNamed('only')
    only.status = 500
    const { mirror, logged } = await loggedMirror({ primary: { urls: [only.url], healthCheck } })
    await waitFor('the change', async () => !(await healthOf(mirror))[0])
    expect((await send(`${mirror.url}/x`)).body.toString()).toBe('only')
    expect((await mirror.admin('/readyz')).status).toBe(200)
    expect(logged('no primary is healthy: requests are still sent to them')).toHaveLength(1)
  })

  test('live requests never reuse a check’s connection: a server may close it without saying so', async () => {
    const asked: string[][] = []
    const primary = await tcpUpstream((socket) => {
      const onThisOne: string[] = []
      asked.push(onThisOne)
      socket.on('data', (bytes) => {
        onThisOne.push(bytes.toString('latin1').split(' ', 2)[1]!)
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
      })
    })
    const often = { ...healthCheck, interval: '1ms' }
    const { mirror } = await loggedMirror({ primary: { urls: [primary.url], healthCheck: often } })
    for (let i = 0; i < 20; i++) {
      const { length } = asked
      await waitFor('a check', () => asked.length > length)
      expect((await send(`${mirror.url}/x`)).status).toBe(200)
    }
    const afterChecks = asked.filter(([path]) => path === '/ping').map((paths) => paths.slice(1))
    expect(afterChecks.flat()).toEqual([])
  })

  test('checks end with the mirror', async () => {
    const only = await primaryNamed('only')
    const { mirror } = await loggedMirror({ primary: { urls: [only.url], healthCheck } })
    await waitFor('checks', () => only.pings > 1)
    await mirror.stop()
    // the upstream hears of it a little later
    await waitFor('its connections to be closed', async () => {
      const connections = await new Promise((resolve) =>
        only.upstream.server.getConnections((_, count) => resolve(count)),
      )
      return connections === 0
    })
    const { pings } = only
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(only.pings).toBe(pings)
  })

  test('a start that fails begins none', async () => {
    const only = await primaryNamed('only')
    const tls = { cert: join(tempDir(), 'cert.pem'), key: localhost.key }
    copyFileSync(localhost.cert, tls.cert)
    const config = mirrorConfig({ tls, primary: { urls: [only.url], healthCheck } })
    rmSync(tls.cert)
    const starting = startMirror({ config, logger: createLogger('mirror', 'silent') })
    await expect(starting).rejects.toThrow('no such file')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(only.pings).toBe(0)
  })

  test('checks end with the config that asks for them, even while a response from that time continues', async () => {
    const asked = { '/before': 0, '/after': 0 }
    const primary = await fakeUpstream((request, response) => {
      if (request.url === '/events') return response.flushHeaders()
      asked[request.url as keyof typeof asked]++
      return response.end()
    })
    const section = (path: string) => ({ primary: { urls: [primary.url], healthCheck: { ...healthCheck, path } } })
    const mirror = await mirrorUnderTest(section('/before'))
    const events = get(`${mirror.url}/events`).on('error', () => {})
    onTestFinished(() => void events.destroy())
    await once(events, 'response')

    const prepared = await mirror.prepare(mirrorConfig(section('/after')))
    await prepared.apply()
    await waitFor('checks as the new config says', () => asked['/after'] > 1)
    const { '/before': before, '/after': after } = asked
    await waitFor('more of them', () => asked['/after'] > after + 5)
    expect(asked['/before']).toBe(before)
  })
})
