import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { runCommand, startCommand } from '../../test/support/command.ts'
import { observation, regression, startTestComparator, tokens } from '../../test/support/comparator.ts'
import { temporaryDirectory } from '../../test/support/services.ts'
import { loadCommand } from '../load.ts'
import { answerCapacity, printedCapacity } from './capacity-answer.ts'
import { pullRequests } from './from-validation.ts'
import { type LoadSettings, printedLoad, runAtRate, runCapacitySearch } from './run-load.ts'
import type { StoredRequest } from './stored-requests.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)
const requests = join(directory.path, 'requests.jsonl')
writeFileSync(requests, '{"path": "/predict", "body": [1]}\n{"method": "GET", "path": "/health"}\n')

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function target(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    answer(request, response, body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const stored: StoredRequest[] = [
  { method: 'POST', path: '/predict', headers: { 'content-type': 'application/json' }, body: Buffer.from('[1]') },
  { method: 'GET', path: '/health', headers: {}, body: null },
]
const settings = (url: string, more: Partial<LoadSettings> = {}): LoadSettings => ({
  target: new URL(url),
  requests: stored,
  headers: {},
  pace: { rate: 100, durationMs: 1000, spacing: 'even', seed: 1 },
  warmUpMs: 0,
  connections: 16,
  timeoutMs: 10_000,
  limit: undefined,
  ...more,
})
const never = new AbortController().signal

describe('understudy load', () => {
  test('sends the stored requests in turn at the rate, and prints a line for each name and for all', async () => {
    const seen: string[] = []
    const url = await target((request, response, body) => {
      seen.push(`${request.method} ${request.url} ${request.headers['x-added']} ${body}`)
      response.end('{}')
    })
    const pace = ['--rate', '100', '--duration', '1s', '--warm-up', '0s', '--latency', '5s']
    const args = ['load', '--target', `${url}/base/`, '--requests', requests, '--header', 'x-added: yes', ...pace]
    const { status, stdout } = await runCommand(args)
    expect(status).toBe(0)
    // one more checks that the target is there
    expect(seen.filter((line) => line === 'POST /base/predict yes [1]')).toHaveLength(51)
    expect(seen.filter((line) => line === 'GET /base/health yes ')).toHaveLength(50)
    expect(stdout).toMatch(/name +# requests +# failures +avg +min +max +median +p95 +p99 +requests\/s/)
    expect(stdout).toMatch(/\nPOST \/predict +50 +0 \(0 %\)/)
    expect(stdout).toMatch(/\nall +100 +0 \(0 %\).*\n\(times in ms\)\n/)
    expect(stdout).toContain('held: p99')
  })

  test('charges a stalled target for every request that came due meanwhile', async () => {
    let count = 0
    let stalledUntil = 0
    const url = await target((_request, response) => {
      // one stall of a second: a closed loop would see it in only one request per connection
      if (++count === 50) stalledUntil = Date.now() + 1000
      setTimeout(() => response.end(), Math.max(0, stalledUntil - Date.now()))
    })
    const limit = { latencyMs: 200, percentile: 80, failuresMax: 0 }
    const pace = { rate: 100, durationMs: 2000, spacing: 'even', seed: 1 } as const
    const report = await runAtRate(settings(url, { connections: 2, limit, pace }), never)
    expect(report).toMatchObject({ requests: 200, failures: 0, limit: { held: false } })
    expect(report.limit!.valueMs).toBeGreaterThan(300)
    expect(report.latencyMs.max).toBeGreaterThan(900)
    expect(report.waitedForConnection).toBeGreaterThan(50)
  })

  test('counts failures by reason, with the target’s response', async () => {
    const url = await target((request, response) => {
      response.statusCode = request.method === 'GET' ? 503 : 200
      response.end('the queue is full')
    })
    const report = await runAtRate(settings(url), never)
    expect(report).toMatchObject({ requests: 100, failures: 50 })
    expect(report.failureReasons).toEqual([{ reason: 'HTTP 503', count: 50, example: 'the queue is full' }])
    expect(printedLoad(report)).toContain('failed: 50 × HTTP 503, such as the queue is full')
  })

  test('prints no control characters of a response', async () => {
    const url = await target((_request, response) => {
      response.statusCode = 500
      response.end('\u001b[2Jheld\u009b1A')
    })
    const { stdout } = await runCommand(['load', '--target', url, '--requests', requests, '--duration', '50ms'])
    expect(stdout).toContain('× HTTP 500, such as \\u001b[2Jheld\\u009b1A\n')
  })

  test('gives up on requests at their timeout, sent or not, and loses none', async () => {
    let first = true
    const url = await target((_request, response) => {
      if (first) response.end()
      first = false
    })
    const report = await runAtRate(settings(url, { connections: 2, timeoutMs: 300 }), never)
    expect(report).toMatchObject({ requests: 100, failures: 100, requestsPerSecond: 0 })
    // one after the other they would take 15 s
    expect(report.durationMs).toBeLessThan(10_000)
    for (const { reason } of report.failureReasons) expect(['timeout', 'not sent in time']).toContain(reason)
    expect(report.latencyMs.p99).toBeNull()
  })

  test('interrupted during its warm-up reports a run of zero duration', async () => {
    const url = await target((_request, response) => response.end())
    const interrupt = new AbortController()
    setTimeout(() => interrupt.abort(), 200)
    const report = await runAtRate(settings(url, { warmUpMs: 60_000 }), interrupt.signal)
    expect(report).toMatchObject({ durationMs: 0, requests: 0, requestsPerSecond: 0 })
  })

  test('distinguishes an unreachable target from one that fails', async () => {
    const url = `http://127.0.0.1:${await freePorts(1)}`
    await expect(runAtRate(settings(url), never)).rejects.toMatchObject({
      message: expect.stringContaining('does not answer: ECONNREFUSED'),
      exitCode: 2,
    })
  })

  test('takes a redirect for no answer, and says where it leads', async () => {
    let seen = 0
    const url = await target((_request, response) => {
      if (++seen === 2) response.writeHead(308, { location: 'https://inference.example/predict' })
      response.end()
    })
    const report = await runAtRate(
      settings(url, { pace: { rate: 20, durationMs: 100, spacing: 'even', seed: 1 } }),
      never,
    )
    expect(report).toMatchObject({ requests: 2, failures: 1 })
    expect(report.failureReasons).toEqual([
      { reason: 'HTTP 308', count: 1, example: 'https://inference.example/predict' },
    ])
    seen = 1
    await expect(runAtRate(settings(url), never)).rejects.toThrow(
      `${url}/ redirects to https://inference.example/predict: give the address that answers as --target`,
    )
  })

  const asked = ['--target', 'http://127.0.0.1:1', '--requests', 'x']
  test.each([
    [['--target', 'here'], 'expected a URL'],
    [['--target', 'http://me:secret@127.0.0.1:1', '--requests', requests], '--header "authorization: …"'],
    [['--target', 'http://127.0.0.1:1'], 'expected --requests FILE'],
    [['--target', 'http://127.0.0.1:1', '--from-validation', 'x'], '--from-validation <name> needs --server <url>'],
    [[...asked, '--server', 'http://127.0.0.1:1'], '--server <url> needs --from-validation <name>'],
    [[...asked, '--rate', '0'], 'above zero'],
    [[...asked, '--latency', '50'], 'expected a duration'],
    // a timer of more fires at once
    [[...asked, '--timeout', '30d'], 'expected at most 24d'],
    [[...asked, '--find-capacity'], '--find-capacity needs --latency <time>'],
    [
      [...asked, '--percentile', '95', '--failures-max', '1%'],
      '--percentile <p> needs --latency <time>\n--failures-max <share> needs',
    ],
    [[...asked, '--pods-for', '5'], 'needs --find-capacity'],
    [[...asked, '--replaces', '15@1.306'], 'needs --find-capacity'],
    [[...asked, '--find-capacity', '--latency', '50ms', '--price-per-hour', '0.4'], 'needs --pods-for'],
    [[...asked, '--replaces', '15 GPUs'], '15@1.306'],
    [[...asked, '--headroom', '0.3'], 'such as 30%'],
    [[...asked, '--percentile', '100'], 'between 0 and 100'],
    [['--target', 'http://127.0.0.1:1', '--requests', requests, '--header', 'x: €'], 'expected NAME: VALUE'],
  ])('says what was expected of %j', async (args, expected) => {
    const command = loadCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
    await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(expected)
  })

  test('prints what it has when interrupted', async () => {
    const url = await target((_request, response) => response.end())
    const child = startCommand([
      'load',
      '--target',
      url,
      '--requests',
      requests,
      '--warm-up',
      '0s',
      '--duration',
      '60s',
    ])
    let stdout = ''
    child.stdout!.on('data', (chunk) => (stdout += chunk))
    await new Promise((resolve) => child.stderr!.once('data', resolve))
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(stdout).toMatch(/\nall +\d+ +0 \(0 %\)/)
  })

  test('also ends when interrupted while the target does not answer', async () => {
    const asked = Promise.withResolvers<void>()
    const url = await target(() => asked.resolve())
    const child = startCommand(['load', '--target', url, '--requests', requests])
    let stderr = ''
    child.stderr!.on('data', (chunk) => (stderr += chunk))
    await asked.promise
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(stderr).not.toContain('does not answer')
  })

  test('never exceeds the highest rate allowed, neither at the start nor to warm up', async () => {
    let seen = 0
    const url = await target((_request, response) => {
      seen++
      response.end()
    })
    const limit = { latencyMs: 10_000, percentile: 90, failuresMax: 0 }
    const pace = { rate: 1000, durationMs: 100, spacing: 'even', seed: 1 } as const
    const report = await runCapacitySearch({ ...settings(url, { pace, warmUpMs: 100 }), limit, rateMax: 50 }, never)
    expect(report).toMatchObject({ capacity: 50, confirmed: true })
    expect(report.steps.map(({ rate }) => rate)).toEqual([50, 50])
    // one to check that it answers, five to warm up, five in each step
    expect(seen).toBe(16)
  })

  test.each([
    [400, true],
    [404, true],
    [429, false],
    [503, false],
  ])('says whether requests that are refused at any rate broke the limit: %i', async (status, isRefusal) => {
    let seen = 0
    const url = await target((_request, response) => {
      seen++
      // one to check that it answers, two that pass, four of which one does not
      response.writeHead(seen === 5 ? status : 200).end()
    })
    const limit = { latencyMs: 10_000, percentile: 90, failuresMax: 0 }
    const pace = { rate: 20, durationMs: 100, spacing: 'even', seed: 1 } as const
    const search = { ...settings(url, { pace }), limit, rateMax: 40 }
    const report = await runCapacitySearch(search, never)
    expect(report.steps.slice(0, 2).map(({ rate, limit }) => [rate, limit!.held])).toEqual([
      [20, true],
      [40, false],
    ])
    expect(report.limitedByRequests).toBe(isRefusal)
    const none = { ...report, capacity: 0 }
    const pods = { rate: 500, headroom: 0.3, targetPods: 1, regions: 1, pricePerHour: undefined, replaces: undefined }
    for (const one of [report, none]) {
      const printed = printedCapacity(one, answerCapacity(one, pods), pods)
      expect(printed.includes('refuses at any rate (HTTP 4xx)')).toBe(isRefusal)
    }
  })

  test('measures a rate the second time with other bursts', async () => {
    const url = await target((_request, response) => response.end())
    const limit = { latencyMs: 10_000, percentile: 90, failuresMax: 0 }
    const pace = { rate: 100, durationMs: 300, spacing: 'poisson', seed: 1 } as const
    const report = await runCapacitySearch({ ...settings(url, { pace }), limit, rateMax: 100 }, never)
    const [first, second] = report.steps
    expect(report.confirmed).toBe(true)
    expect(first!.requests).not.toBe(second!.requests)
  })

  test('interrupted during its search reports no rate that broke the limit on the second try', async () => {
    const interrupt = new AbortController()
    let seen = 0
    const url = await target((_request, response) => {
      seen++
      // one to check that it answers, five that pass, five that do not
      if (seen > 11) interrupt.abort()
      response.writeHead(seen > 6 ? 500 : 200).end()
    })
    const limit = { latencyMs: 10_000, percentile: 90, failuresMax: 0 }
    const pace = { rate: 50, durationMs: 100, spacing: 'even', seed: 1 } as const
    const search = { ...settings(url, { pace, warmUpMs: 0 }), limit, rateMax: 50 }
    const report = await runCapacitySearch(search, interrupt.signal)
    expect(report.steps.map(({ rate, limit }) => [rate, limit!.held])).toEqual([
      [50, true],
      [50, false],
    ])
    expect(report).toMatchObject({ capacity: 0, confirmed: false })
  })

  test('charges no rate for the backlog of the one before', async () => {
    const interrupt = new AbortController()
    let seen = 0
    const url = await target((_request, response) => {
      seen++
      // one to check that it answers, two and four that pass, then eight that break off, and one that asks if it is back
      if (seen <= 7 || seen > 16) response.end()
      else response.destroy()
      // one to check that it has recovered, and six that pass
      if (seen > 23) interrupt.abort()
    })
    const limit = { latencyMs: 10_000, percentile: 90, failuresMax: 0 }
    const pace = { rate: 2, durationMs: 1000, spacing: 'even', seed: 1 } as const
    const search = { ...settings(url, { pace }), limit, rateMax: 100 }
    const report = await runCapacitySearch(search, interrupt.signal)
    expect(report.steps.map(({ rate, limit }) => [rate, limit!.held])).toEqual([
      [2, true],
      [4, true],
      [8, false],
      [6, true],
    ])
  })

  test('finds the capacity of a target that takes one request at a time', async () => {
    // a queue before one worker of 20 ms: at the very most 50 requests/s, fewer within the limit
    let freeAt = 0
    const url = await target((_request, response) => {
      freeAt = Math.max(freeAt, performance.now()) + 20
      setTimeout(() => response.end(), freeAt - performance.now())
    })
    const limit = { latencyMs: 250, percentile: 90, failuresMax: 0 }
    const pace = { rate: 12, durationMs: 600, spacing: 'poisson', seed: 1 } as const
    const report = await runCapacitySearch({ ...settings(url, { pace, timeoutMs: 1000 }), limit, rateMax: 1000 }, never)
    expect(report.capacity).toBeGreaterThan(20)
    expect(report.capacity).toBeLessThan(90) // in 600 ms a queue may form that would break the limit within a second
    expect(report.steps.some((step) => !step.limit!.held)).toBe(true)
    for (const { rate, limit } of report.steps) if (rate > 100) expect(limit!.held).toBe(false)
  })
})

describe('understudy load --from-validation', () => {
  test('takes what the comparator stores, oldest first, and says if it stores no bodies', async () => {
    const bare = { ...regression, name: 'bare', store: { bodies: 'none' } }
    const comparator = await startTestComparator([regression, bare])
    try {
      const sent = (validation: string, i: number) =>
        observation({
          validation,
          at: Date.now() - 60_000 + i * 1000,
          request: {
            method: 'POST',
            path: `/price?i=${i}`,
            headers: { 'content-type': 'text/plain' },
            body: `row ${i}`,
          },
          primary: { prediction: 1 },
          candidate: { prediction: 1 },
        })
      const posted = await comparator.post([0, 1, 2].map((i) => sent('price', i)).concat(sent('bare', 0)))
      expect(posted).toMatchObject({ accepted: 4 })
      const pull = (name: string, most = 100, bytesMax?: number) =>
        pullRequests(name, { server: comparator.url, token: tokens.viewer }, most, bytesMax)
      const all = await pull('price')
      expect(all).toMatchObject({ withoutBody: 0, isCut: false, kept: 'all' })
      expect(all.requests.map(({ path, body }) => `${path} ${body}`)).toEqual(
        [0, 1, 2].map((i) => `/price?i=${i} row ${i}`),
      )
      expect((await pull('price', 2)).requests.map(({ path }) => path)).toEqual(['/price?i=1', '/price?i=2'])
      const cut = await pull('price', 100, 10)
      expect([cut.isCut, ...cut.requests.map(({ path }) => path)]).toEqual([true, '/price?i=1', '/price?i=2'])
      await expect(pull('bare')).rejects.toThrow('store: { bodies: all }')
      await expect(pull('nobody')).rejects.toThrow('NOT_FOUND')
    } finally {
      await comparator.close()
    }
  })
})
