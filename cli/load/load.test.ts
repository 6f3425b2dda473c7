import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/support/services.ts'
import { share } from '../option-values.ts'
import { textTable } from '../text-table.ts'
import { arrivals } from './arrivals.ts'
import { answerCapacity, printedCapacity } from './capacity-answer.ts'
import { findCapacity } from './find-capacity.ts'
import { Latencies } from './latencies.ts'
import { holds } from './load-report.ts'
import type { CapacityReport } from './run-load.ts'
import { readRequests } from './stored-requests.ts'
import { Tally } from './tally.ts'
import { parseReplaced, podsFor, yearlyCost } from './yearly-cost.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)

describe('latencies', () => {
  test('have quantiles within 0.1 % of the exact ones, from microseconds to minutes', () => {
    const latencies = new Latencies()
    // 1 µs to 100 s, evenly on a logarithmic scale
    const values = Array.from({ length: 20_001 }, (_, i) => 10 ** (-3 + (8 * i) / 20_000))
    for (const value of values.toReversed()) latencies.record(value)
    for (const percent of [50, 90, 95, 99, 99.9]) {
      const exact = values[Math.ceil((percent / 100) * values.length) - 1]!
      expect(Math.abs(latencies.percentile(percent) / exact - 1)).toBeLessThan(0.0011)
    }
    expect(latencies.max / 100_000).toBeCloseTo(1, 2)
  })

  test.each([1, 2, 3, 10, 60, 99, 100, 101, 149, 1000])(
    'of %i answers stay within a percentile as often as it says',
    (count) => {
      const latencies = new Latencies()
      for (let ms = 1; ms <= count; ms++) latencies.record(ms)
      const percents = [1, 50, 90, 95, 99, 99.9, 100]
      // per mille, in which all are whole numbers
      const ranks = percents.map((percent) => Math.ceil((Math.round(percent * 10) * count) / 1000))
      expect(percents.map((percent) => Math.round(latencies.percentile(percent)))).toEqual(ranks)
    },
  )

  test('that are added up are those of both', () => {
    const [a, b] = [new Latencies(), new Latencies()]
    for (let ms = 1; ms <= 100; ms++) (ms <= 90 ? a : b).record(ms)
    a.add(b)
    expect(a.count).toBe(100)
    expect(a.percentile(99)).toBeCloseTo(99, 0)
    a.add(new Latencies())
    expect(a.min).toBe(1)
  })

  test('of nothing are NaN, and one beyond the maximum counts as the maximum', () => {
    const latencies = new Latencies()
    expect(latencies.percentile(99)).toBeNaN()
    latencies.record(1e12)
    expect(latencies.count).toBe(1)
    expect(latencies.percentile(50)).toBeCloseTo(3_600_000, -4)
  })
})

describe('arrivals', () => {
  const pace = { rate: 200, durationMs: 10_000, spacing: 'even', seed: 7 } as const

  test('that are even keep their gap to the end', () => {
    const times = [...arrivals(pace)]
    expect(times.length).toBe(2000)
    expect(times[0]).toBe(0)
    expect(times[1999]).toBeCloseTo(9995, 6)
  })

  test('that are poisson have the rate, come in bursts, and are the same for the same seed', () => {
    const times = [...arrivals({ ...pace, spacing: 'poisson', durationMs: 100_000 })]
    expect(times.length / 100).toBeGreaterThan(190)
    expect(times.length / 100).toBeLessThan(210)
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    const mean = gaps.reduce((a, b) => a + b) / gaps.length
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    expect(deviation / mean).toBeGreaterThan(0.95) // 1 for an exponential distribution, 0 for even gaps
    expect(deviation / mean).toBeLessThan(1.05)
    expect([...arrivals({ ...pace, spacing: 'poisson', durationMs: 100_000 })]).toEqual(times)
    expect([...arrivals({ ...pace, spacing: 'poisson', seed: 8 })].slice(0, 9)).not.toEqual(times.slice(0, 9))
  })
})

describe('a tally', () => {
  test('counts failures by reason and keeps them out of the latencies', () => {
    const tally = new Tally()
    for (let i = 0; i < 98; i++) tally.record('POST /a', { kind: 'answered', status: 200 }, 10)
    tally.record('POST /a', { kind: 'failed', reason: 'HTTP 503', example: 'full' }, 1)
    tally.record('GET /b', { kind: 'failed', reason: 'HTTP 503', example: 'again' }, 1)
    expect(tally.total).toMatchObject({ requests: 100, failures: 2 })
    expect(tally.total.latencies.min).toBeGreaterThan(9)
    expect([...tally.byReason]).toEqual([['HTTP 503', { count: 2, example: 'full' }]])
    expect(tally.byName.get('GET /b')).toMatchObject({ requests: 1, failures: 1 })
  })

  test('does not grow with the number of paths, and loses none of them', () => {
    const tally = new Tally()
    for (let i = 0; i < 1000; i++) tally.record(`GET /${i}`, { kind: 'failed', reason: `code ${i}`, example: '' }, 1)
    expect(tally.byName.size).toBeLessThanOrEqual(51)
    expect([...tally.byName.values()].reduce((sum, { requests }) => sum + requests, 0)).toBe(1000)
    expect([...tally.byReason.values()].reduce((sum, { count }) => sum + count, 0)).toBe(1000)
  })

  test('passes a limit by its percentile and its share of failures, and never without an answer', () => {
    const limit = { latencyMs: 50, percentile: 90, failuresMax: 0.1 }
    const tally = new Tally()
    expect(holds(tally.total, limit)).toBe(false)
    for (let i = 0; i < 91; i++) tally.record('GET /', { kind: 'answered', status: 200 }, 40)
    for (let i = 0; i < 9; i++) tally.record('GET /', { kind: 'answered', status: 200 }, 4000)
    expect(holds(tally.total, limit)).toBe(true)
    expect(holds(tally.total, { ...limit, percentile: 95 })).toBe(false)
    for (let i = 0; i < 12; i++) tally.record('GET /', { kind: 'failed', reason: 'timeout', example: '' }, 1)
    expect(holds(tally.total, limit)).toBe(false)
    expect(holds(tally.total, { ...limit, failuresMax: 0.2 })).toBe(true)
  })
})

test('exactly as many failures as allowed are not too many', () => {
  const limit = { latencyMs: 50, percentile: 90, failuresMax: share('29%') }
  const tally = new Tally()
  for (let i = 0; i < 71; i++) tally.record('a', { kind: 'answered', status: 200 }, 1)
  // 100 × 0.29 is slightly less than 29
  for (let i = 0; i < 29; i++) tally.record('a', { kind: 'failed', reason: 'HTTP 503', example: '' }, 1)
  expect(holds(tally.total, limit)).toBe(true)
  tally.record('a', { kind: 'failed', reason: 'HTTP 503', example: '' }, 1)
  expect(holds(tally.total, limit)).toBe(false)
})

describe('the search for the capacity', () => {
  const search = { start: 10, max: 100_000, stepsMax: 30, precision: 0.05, signal: new AbortController().signal }

  test('finds a sharp limit within its precision from below, and tests it twice', async () => {
    for (const limit of [3.3, 10, 62, 9_999]) {
      const asked: number[] = []
      const found = await findCapacity(search, async (rate) => asked.push(rate) > 0 && rate <= limit)
      expect(found.rate).toBeLessThanOrEqual(limit)
      expect(found.rate).toBeGreaterThan(limit / 1.06)
      expect(found.confirmed).toBe(true)
      expect(asked.filter((rate) => rate === found.rate)).toHaveLength(2)
    }
  })

  test('does not believe a rate that passed by luck', async () => {
    let luck = 1
    const found = await findCapacity(search, async (rate) => rate <= 50 || (rate === 80 && luck-- > 0))
    expect(found.rate).toBeLessThanOrEqual(50)
    expect(found.rate).toBeGreaterThan(47)
    expect(found.confirmed).toBe(true)
  })

  test('ends at the highest rate allowed, at zero, and at its maximum number of steps', async () => {
    expect(await findCapacity({ ...search, max: 300 }, async () => true)).toMatchObject({ rate: 300, confirmed: true })
    const none = await findCapacity(search, async () => false)
    expect(none).toMatchObject({ rate: 0, confirmed: false })
    // of the next half nobody would believe a measurement
    expect(none.steps.at(-1)!.rate).toBe(10 / 2 ** 6)
    const short = await findCapacity({ ...search, stepsMax: 3 }, async () => true)
    expect(short).toMatchObject({ rate: 40, confirmed: false })
    expect(short.steps).toHaveLength(3)
  })

  test('that is interrupted has the steps that were complete', async () => {
    const interrupt = new AbortController()
    const found = await findCapacity({ ...search, signal: interrupt.signal }, async (rate) => {
      if (rate === 40) interrupt.abort()
      return true
    })
    expect(found).toEqual({
      rate: 20,
      confirmed: false,
      steps: [
        { rate: 10, held: true },
        { rate: 20, held: true },
      ],
    })
  })
})

describe('the answer', () => {
  test("has the article's arithmetic", () => {
    expect(yearlyCost(1.306, 15 * 2)).toBe(343_216.8)
    expect(parseReplaced('15@1.306')).toEqual({ units: 15, pricePerHour: 1.306 })
    expect(() => parseReplaced('15x1.306')).toThrow('15@1.306')
  })

  test('keeps the headroom free and never rounds pods down', () => {
    expect(podsFor({ rate: 500, capacity: 62, headroom: 0 })).toBe(9)
    expect(podsFor({ rate: 500, capacity: 62, headroom: 0.3 })).toBe(12)
    expect(podsFor({ rate: 1, capacity: 62, headroom: 0.3 })).toBe(1)
    // 1 − 0.8 is slightly less than 0.2
    expect(podsFor({ rate: 200, capacity: 500, headroom: share('80%') })).toBe(2)
  })

  const report = {
    limit: { latencyMs: 250, percentile: 99, failuresMax: 0 },
    capacity: 62,
    confirmed: true,
    limitedByLoad: false,
    limitedByRequests: false,
    steps: [],
  }
  const options = {
    rate: 500,
    headroom: 0.3,
    targetPods: 1,
    regions: 2,
    pricePerHour: 0.4,
    replaces: { units: 15, pricePerHour: 1.306 },
  }

  test('says how many pods in all regions, what they cost and what they save', () => {
    const answer = answerCapacity(report, options)
    expect(answer.pods).toMatchObject({ perRegion: 12, all: 24 })
    expect(answer.yearly).toEqual({ pods: 84_096, replaced: 343_216.8, saved: 259_120.8 })
    expect(printedCapacity(report, answer, options).split('\n')).toEqual([
      'capacity  62 requests/s within 250 ms at p99 (held twice; 0 steps)',
      '          no rate up to --rate-max broke the limit: capacity may be higher',
      'pods      12 × 2 regions for 500 requests/s: ⌈500 ÷ (62 × 0.7)⌉, 30 % headroom',
      'a year    0.4 × 24 × 365 × 12 × 2 regions = 84,096.00',
      'replaces  1.306 × 24 × 365 × 15 × 2 regions = 343,216.80',
      'saves     259,120.80 a year',
    ])
    // three digits would say ⌈868 ÷ (62 × 0.7)⌉, which is 20
    const close = { ...report, capacity: 61.97 }
    const more = { ...options, rate: 868 }
    expect(printedCapacity(close, answerCapacity(close, more), more)).toContain(
      'pods      21 × 2 regions for 868 requests/s: ⌈868 ÷ (61.97 × 0.7)⌉',
    )
  })

  test('says what else it rests on', () => {
    const printed = (more: Partial<CapacityReport>, one: Partial<typeof options> = {}) => {
      const [changed, asked] = [
        { ...report, ...more },
        { ...options, regions: 1, ...one },
      ]
      return printedCapacity(changed, answerCapacity(changed, asked), asked)
    }
    const remarks = ['(NOT confirmed by a second run; 0 steps)', 'the load generator was late', '(HTTP 4xx)', 'a pod ']
    const told = (text: string) => remarks.filter((remark) => text.includes(remark))
    expect(told(printed({}))).toEqual([])
    expect(told(printed({ confirmed: false }))).toEqual([remarks[0]])
    expect(told(printed({ limitedByLoad: true }))).toEqual([remarks[1]])
    expect(told(printed({ limitedByRequests: true }))).toEqual([remarks[2]])
    expect(printed({}, { targetPods: 2 })).toContain('\na pod     31 requests/s (2 pods behind the target)\n')
    expect(printed({})).toContain('\npods      12 for 500 requests/s')
  })

  test('says if no rate broke the limit, so that the capacity is only the highest one tried', () => {
    const step = (held: boolean) => ({ limit: { held } }) as CapacityReport['steps'][number]
    const printed = (...steps: CapacityReport['steps']) =>
      printedCapacity({ ...report, steps }, answerCapacity(report, options), options)
    expect(printed(step(true), step(true))).toContain('--rate-max')
    expect(printed(step(true), step(false))).not.toContain('--rate-max')
    const interrupted = { ...report, confirmed: false, steps: [step(true), step(true)] }
    expect(printedCapacity(interrupted, answerCapacity(interrupted, options), options)).not.toContain('--rate-max')
  })

  test('says if the percentile rests on so few requests that it is mostly chance', () => {
    const step = (requests: number) => ({ rate: 62, requests, failures: 0, limit: { percentile: 99, held: true } })
    const printed = (requests: number) => {
      const steps = [step(5_000), step(requests)] as CapacityReport['steps']
      return printedCapacity({ ...report, steps }, answerCapacity(report, options), options)
    }
    expect(printed(620)).toContain(
      '\n          p99 of 620 answers rests on the slowest 7: a longer --duration says more\n',
    )
    expect(printed(1_000)).not.toContain('rests on')
  })

  test('divides by the measured pods, and claims no saving without a price or a capacity', () => {
    expect(answerCapacity(report, { ...options, targetPods: 3 }).pods).toMatchObject({ perRegion: 35 })
    expect(answerCapacity(report, { ...options, pricePerHour: undefined }).yearly.saved).toBeNull()
    const none = answerCapacity({ ...report, capacity: 0 }, options)
    expect(none).toMatchObject({ pods: null, yearly: { saved: null } })
    expect(printedCapacity({ ...report, capacity: 0 }, none, options)).toContain('none')
  })
})

describe('a file of requests', () => {
  const read = (...lines: string[]) => {
    const file = join(directory.path, 'requests.jsonl')
    writeFileSync(file, lines.join('\n'))
    return readRequests(file)
  }

  test('reads text, JSON and base64 bodies, and drops connection headers', async () => {
    const requests = await read(
      '{"path": "/a", "body": [1, 2]}',
      '',
      '{"method": "put", "path": "/b?x=1", "headers": {"Host": "gone", "X-Own": "kept"}, "bodyBase64": "AAH/"}',
      '{"method": "GET", "path": "/c"}',
      '{"path": "/d", "headers": {"content-type": "text/plain"}, "body": "text"}',
    )
    expect(requests).toEqual([
      { method: 'POST', path: '/a', headers: { 'content-type': 'application/json' }, body: Buffer.from('[1,2]') },
      { method: 'PUT', path: '/b?x=1', headers: { 'x-own': 'kept' }, body: Buffer.from([0, 1, 255]) },
      { method: 'GET', path: '/c', headers: {}, body: null },
      { method: 'POST', path: '/d', headers: { 'content-type': 'text/plain' }, body: Buffer.from('text') },
    ])
  })

  test('may begin with a byte order mark, end its lines as on Windows, and hold line separators in texts', async () => {
    const requests = await read('\uFEFF{"path": "/a", "body": "x\u2028y"}\r', '\r', '{"path": "/b"}\r', '')
    expect(requests).toMatchObject([{ path: '/a', body: Buffer.from('x\u2028y') }, { path: '/b' }])
    await expect(read('\uFEFF{"path": "/a", "body": "\u2029"}\r', '{no json}\r')).rejects.toThrow(':2: expected one')
  })

  test('may have lines longer than a read, with characters of several bytes', async () => {
    const texts = [1, 2, 3].map((i) => '€'.repeat(100_000 + i))
    const requests = await read(...texts.map((body) => JSON.stringify({ path: '/a', body })))
    expect(requests.map(({ body }) => String(body))).toEqual(texts)
  })

  test.each([
    ['{"path": "/a"}\n{not json}', ':2: expected one JSON object a line'],
    ['[]', ':1: expected an object'],
    ['{"path": "a"}', 'expected a path'],
    ['{"path": "/a b"}', 'expected a path'],
    ['{"path": "/a", "method": "GET /"}', 'method: expected'],
    ['{"path": "/a", "method": "connect"}', 'method: expected'],
    ['{"path": "/a", "headers": {"x": 1}}', 'headers: expected'],
    [
      '{"path": "/a", "headers": {"a b": "c"}}',
      ':1: headers: expected names and values that HTTP can carry, got "a b"',
    ],
    ['{"path": "/a"}\n{"path": "/b", "headers": {"x": "Ž"}}', ':2: headers: expected names and values'],
    ['{"path": "/a", "body": "x", "bodyBase64": "eA=="}', 'not both'],
    ['{"path": "/a", "bodyBase64": "%%"}', 'expected base64'],
    ['', 'holds no request'],
  ])('says what was expected of %j', async (text, expected) => {
    await expect(read(text)).rejects.toThrow(expected)
  })

  test('that is not there is an error, not an empty load', async () => {
    await expect(readRequests(join(directory.path, 'none.jsonl'))).rejects.toThrow('cannot be read (ENOENT)')
  })
})

test('a table right-aligns its figures', () => {
  expect(
    textTable(
      ['name', 'n'],
      [
        ['a', '1'],
        ['long', '1000'],
      ],
    ),
  ).toBe('name     n\n----  ----\na        1\nlong  1000')
})
