import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { decodeSection } from '../runtime/config/load-config.ts'
import type { ConfigProblem } from '../runtime/config/problem.ts'
import { primaryOf } from './config/upstream.ts'
import { type MirrorConfig, mirrorSchema } from './config.ts'

const decode = (section: unknown) =>
  decodeSection(section, 'mirror', mirrorSchema, { UNDERSTUDY_INGEST_TOKEN: 'secret' })

const inOrder = (problems: readonly ConfigProblem[]) =>
  problems
    .map(({ path, value, expected }) => [path, value, expected])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))

test('the section in the documentation is read as written', () => {
  const { value, problems } = decode(
    parse(`
listen: 127.0.0.1:8080
admin: 127.0.0.1:8081
primary: http://127.0.0.1:9000
timeout: 30s
comparator: { url: http://127.0.0.1:7070, token: "\${UNDERSTUDY_INGEST_TOKEN}" }
routes:
  - path: /predictions/digits
    methods: [POST]
    correlation: { header: x-request-id }
    candidates:
      - { validation: digits-int8, url: http://127.0.0.1:8090, share: 1, deadline: 10s, concurrency: 32, queue: 1000 }
capture: { bodyMax: 1MiB, memoryMax: 256MiB, headers: [content-type] }
spool: { dir: ./data/spool, sizeMax: 1GiB }
`),
  )
  expect(problems).toEqual([])
  expect(value).toMatchObject({
    comparator: { token: 'secret' },
    routes: [{ candidates: [{ deadline: 10_000, concurrency: 32 }] }],
    capture: { bodyMax: 1024 ** 2, versionHeader: 'x-model-version', digestHeader: 'x-model-digest' },
  })
})

test('the shortest section, with one candidate, means the same', () => {
  const candidates = [{ validation: 'v', url: 'http://127.0.0.1:8090' }]
  const { value } = decode({ primary: 'http://127.0.0.1:9000', routes: [{ path: '/p', candidates }] })
  expect(value).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    timeout: 30_000,
    idleTimeout: 620_000,
    routes: [
      {
        methods: ['POST'],
        correlation: { header: 'x-request-id' },
        candidates: [
          {
            share: 1,
            deadline: 10_000,
            concurrency: 32,
            queue: 1000,
            shed: 'newest',
            retries: 0,
            breaker: { failures: 20, cooldown: 5000 },
            headers: { set: {}, remove: [] },
          },
        ],
      },
    ],
    workers: 1,
    headers: { host: 'keep', set: {}, remove: [] },
    shadow: { allowHeaders: [] },
    spool: { sizeMax: 1024 ** 3 },
  })
  expect(value).not.toHaveProperty('comparator')
  expect(value).not.toHaveProperty('routes[0].noiseFloor')
})

test('a shadow leg has limits and header edits of its own, and so has a noise floor', () => {
  const { value, problems } = decode(
    parse(`
primary: { urls: ["http://127.0.0.1:9000", "unix:/run/app.sock"], healthCheck: { path: /ping } }
routes:
  - path: /p
    candidates:
      - validation: v
        url: https://candidate.example
        tls: { serverName: models.example }
        shed: oldest
        retries: 2
        breaker: { failures: 20, cooldown: 30s }
        headers: { set: { Host: models.example, Authorization: "Bearer \${UNDERSTUDY_INGEST_TOKEN}" }, remove: [x-debug] }
    noiseFloor: { validation: v-noise, share: 0.05, concurrency: 4, breaker: { failures: 0 } }
`),
  )
  expect(problems).toEqual([])
  expect(value).toMatchObject({
    primary: { healthCheck: { interval: 5000, unhealthyAfter: 3 }, rest: 5000 },
    routes: [
      {
        candidates: [
          {
            tls: { serverName: 'models.example', verify: true },
            shed: 'oldest',
            retries: 2,
            breaker: { failures: 20, cooldown: 30_000 },
            headers: { set: { Host: 'models.example', Authorization: 'Bearer secret' }, remove: ['x-debug'] },
          },
        ],
        noiseFloor: { share: 0.05, deadline: 10_000, concurrency: 4, queue: 1000, breaker: { failures: 0 } },
      },
    ],
  })
})

test('a value of the wrong type or range is refused, not coerced; text, as from a variable, may become a number', () => {
  const decodeQueue = (queue: unknown) =>
    decode({
      primary: 'http://127.0.0.1:9000',
      routes: [{ path: '/p', candidates: [{ validation: 'v', url: 'http://127.0.0.1:1', queue }] }],
    })
  expect(decodeQueue(0.5).problems.map(({ path, value }) => [path, value])).toEqual([
    ['mirror.routes[0].candidates[0].queue', 0.5],
  ])
  expect(decodeQueue(true).problems).toHaveLength(1)
  expect(decodeQueue('7').value).toMatchObject({ routes: [{ candidates: [{ queue: 7 }] }] })
})

test('a year is cut to the longest time that timers take: given more they would fire at once', () => {
  const year = '365d'
  const healthCheck = { path: '/ping', interval: year, timeout: year }
  const { value } = decode({
    primary: { urls: ['http://127.0.0.1:9000'], healthCheck },
    timeout: year,
    idleTimeout: year,
    drain: year,
    routes: [{ path: '/p', candidates: [{ validation: 'v', url: 'http://127.0.0.1:1', deadline: year }] }],
  })
  const { primary, timeout, idleTimeout, drain, routes } = value as MirrorConfig
  const { interval, timeout: checkTimeout } = primaryOf(primary).healthCheck!
  const durations = [timeout, idleTimeout, drain, interval, checkTimeout, routes[0]!.candidates[0]!.deadline]
  // some of these are added to others, and to seconds of our own
  for (const duration of durations) expect(duration + 600_000).toBeLessThan(2 ** 31)
})

test('for a primary in its long form the problem names the key', () => {
  const problemsOf = (primary: unknown) =>
    decode({ primary, routes: [] }).problems.map(({ path, expected }) => `${path}: ${expected}`)
  expect(problemsOf({ urls: [] })).toEqual(['mirror.primary.urls: a list of URLs'])
  expect(problemsOf({ urls: ['http://127.0.0.1:1'], healthCheck: { path: 'ping' } })).toEqual([
    'mirror.primary.healthCheck.path: a path, such as /ping',
  ])
})

test('every problem is reported with what was expected, and the token stays out of it', () => {
  const { problems } = decode({
    primary: 'somewhere',
    comparator: { url: 'http://127.0.0.1:7070', token: 'secret', tokn: 1 },
    routes: [
      { path: 'p', methods: ['post'], correlation: { pointer: 'id' }, candidates: [{ validation: 'v', share: 2 }] },
      { path: '/q', candidates: [{ validation: 'w', url: 'http://x:1', concurrency: 0, queue: -1 }] },
      { path: '/q/../r', candidates: [] },
      { path: '/prédictions', candidates: [] },
    ],
    capture: { bodyMax: 5 },
  })
  const found = problems.map(({ path, expected }) => `${path}: ${expected}`).sort()
  expect(found).toEqual([
    'mirror.capture.bodyMax: a size such as 1MiB, 512KiB or 1GiB',
    'mirror.comparator.tokn: no such key here; the keys are url, token',
    'mirror.primary: a URL such as http://127.0.0.1:9000, or { urls: [URL, ...], healthCheck: { path: /ping } }',
    'mirror.routes[0].candidates[0].share: the share of exchanges to mirror, from 0 to 1',
    'mirror.routes[0].candidates[0].url: a URL such as http://127.0.0.1:9000, or unix:/run/app.sock',
    'mirror.routes[0].correlation: where the correlation id is: { header: NAME } or { pointer: /path/in/body }',
    'mirror.routes[0].methods[0]: one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
    'mirror.routes[0].path: a path prefix as clients send it: /, then ASCII (é is %C3%A9), without segments such as ..',
    'mirror.routes[1].candidates[0].concurrency: shadow requests in flight at once, a whole number from 1 to 10000',
    'mirror.routes[1].candidates[0].queue: shadow requests that may wait, a whole number from 0 to 1000000',
    'mirror.routes[2].path: a path prefix as clients send it: /, then ASCII (é is %C3%A9), without segments such as ..',
    'mirror.routes[3].path: a path prefix as clients send it: /, then ASCII (é is %C3%A9), without segments such as ..',
  ])
  expect(JSON.stringify(problems)).not.toContain('secret')
})

test.each(['http://127.0.0.1:90000', 'http://127.0.0.256:9000', 'http://[::1', 'http://a:b:1'])(
  'a URL that names no address is refused for every setting: %s',
  (url) => {
    const { problems } = decode({
      primary: { urls: ['http://127.0.0.1:9000', url] },
      comparator: { url, token: 't' },
      tracing: { url },
      routes: [{ path: '/p', candidates: [{ validation: 'v', url }] }],
    })
    expect(inOrder(problems)).toEqual([
      ['mirror.comparator.url', url, 'a URL such as http://127.0.0.1:9000'],
      ['mirror.primary.urls[1]', url, 'a URL such as http://127.0.0.1:9000, or unix:/run/app.sock'],
      ['mirror.routes[0].candidates[0].url', url, 'a URL such as http://127.0.0.1:9000, or unix:/run/app.sock'],
      ['mirror.tracing.url', url, 'a URL such as http://127.0.0.1:9000'],
    ])
    expect(decode({ primary: url, routes: [] }).problems.map(({ path }) => path)).toEqual(['mirror.primary'])
  },
)

test('a URL that names the path of a route again is refused, since requests keep their path', () => {
  const problemsOf = (path: string, url: string) =>
    decode({ primary: 'http://127.0.0.1:9000', routes: [{ path, candidates: [{ validation: 'v', url }] }] }).problems
  for (const url of ['http://127.0.0.1:8090/predict/churn', 'https://models/predict/churn/']) {
    expect(inOrder(problemsOf('/predict/churn', url))).toEqual([
      [
        'mirror.routes[0].candidates[0].url',
        url,
        'a URL without /predict/churn: requests keep their path, which would then be /predict/churn/predict/churn',
      ],
    ])
  }
  const routes = [{ path: '/predict/churn', candidates: [] }]
  for (const primary of ['http://app/predict/churn', { urls: ['http://app', 'http://app/predict/churn'] }]) {
    expect(decode({ primary, routes }).problems).toMatchObject([
      { path: expect.stringMatching(/primary(\.urls\[1\])?$/) },
    ])
  }
  expect(problemsOf('/predict/churn', 'http://gateway/models')).toEqual([])
  expect(problemsOf('/', 'http://gateway/')).toEqual([])
  expect(problemsOf('/api', 'http://gateway/api')).toEqual([])
  expect(problemsOf('/run/app.sock', 'unix:/run/app.sock')).toEqual([])
})

test.each(['', 'two words', 'line\n', 'schlüssel'])(
  'a token that cannot be sent in a header is refused: %j',
  (token) => {
    const comparator = { url: 'http://127.0.0.1:7070', token }
    const { problems } = decode({ primary: 'http://127.0.0.1:9000', comparator, routes: [] })
    expect(problems.map(({ path, expected }) => [path, expected])).toEqual([
      ['mirror.comparator.token', 'a token with the role ingest, without spaces or line breaks'],
    ])
  },
)

test('each bad limit of a shadow leg is reported with its path, value and expectation', () => {
  const limits = { shed: 'random', retries: 9, breaker: { failures: -1, cooldown: '0s', window: 1 } }
  const routes = [
    {
      path: '/p',
      candidates: [{ validation: 'v', url: 'unix:run.sock', ...limits }],
      noiseFloor: { validation: 'w', url: 'http://x:1', queue: -1 },
    },
  ]
  const { problems } = decode({ primary: 'http://127.0.0.1:9000', routes })
  const at = 'mirror.routes[0].candidates[0]'
  const whole = 'shadow requests that may wait, a whole number from 0 to 1000000'
  const keys = 'validation, share, deadline, concurrency, queue, shed, retries, breaker, headers'
  expect(inOrder(problems)).toEqual([
    [`${at}.breaker.cooldown`, '0s', 'a duration above zero, such as 30d, 10m, 10s or 2ms'],
    [`${at}.breaker.failures`, -1, 'failures in a row that open it, a whole number; 0 for no breaker'],
    [`${at}.breaker.window`, 1, 'no such key here; the keys are failures, cooldown'],
    [`${at}.retries`, 9, 'a whole number from 0 to 5'],
    [`${at}.shed`, 'random', 'newest or oldest'],
    [`${at}.url`, 'unix:run.sock', 'a URL such as http://127.0.0.1:9000, or unix:/run/app.sock'],
    ['mirror.routes[0].noiseFloor.queue', -1, whole],
    ['mirror.routes[0].noiseFloor.share', undefined, 'the share of exchanges to mirror, from 0 to 1'],
    ['mirror.routes[0].noiseFloor.url', 'http://x:1', `no such key here; the keys are ${keys}`],
  ])
})

test('header edits of a leg must not touch framing or our markers, use invalid names, or set a header twice', () => {
  const set = { 'Content-Length': '1', 'x y': '1', 'x-a': '1', 'X-A': '2', 'x-b': 'two\nlines', host: 'fine.example' }
  const headers = { set, remove: ['x-understudy-shadow', 'x:y', 'Host', 'Content_Length'] }
  const routes = [
    {
      path: '/p',
      candidates: [{ validation: 'v', url: 'http://127.0.0.1:8090', headers, liveHeaders: { remove: ['TE'] } }],
      noiseFloor: { validation: 'w', share: 1, headers: { remove: ['X-Understudy-Observation'] } },
    },
  ]
  const { problems } = decode({ primary: 'http://127.0.0.1:9000', headers: { set: { Connection: 'close' } }, routes })
  const at = 'mirror.routes[0].candidates[0].headers'
  const ours = 'a header that is neither framing nor our own marker'
  const name = 'the name of an HTTP header, such as x-request-id'
  expect(inOrder(problems)).toEqual([
    ['mirror.headers.set.Connection', 'Connection', ours],
    [`${at}.remove[0]`, 'x-understudy-shadow', ours],
    [`${at}.remove[1]`, 'x:y', name],
    [`${at}.remove[3]`, 'Content_Length', ours],
    [`${at}.set.Content-Length`, 'Content-Length', ours],
    [`${at}.set.X-A`, 'X-A', 'a header once, whatever its case'],
    [`${at}.set.x y`, 'x y', name],
    [`${at}.set.x-b`, 'two\nlines', 'a header value: printable ASCII on one line'],
    ['mirror.routes[0].candidates[0].liveHeaders.remove[0]', 'TE', ours],
    ['mirror.routes[0].noiseFloor.headers.remove[0]', 'X-Understudy-Observation', ours],
  ])
})

test('a leg’s concurrency is shared among the workers', () => {
  const candidates = [
    { validation: 'v', url: 'http://127.0.0.1:8090', concurrency: 3 },
    { validation: 'w', url: 'http://127.0.0.1:8090', concurrency: 4 },
  ]
  const noiseFloor = { validation: 'n', share: 1, concurrency: 1 }
  const routes = [{ path: '/p', candidates, noiseFloor }]
  const { problems } = decode({ primary: 'http://127.0.0.1:9000', workers: 4, routes })
  expect(inOrder(problems)).toEqual([
    ['mirror.routes[0].candidates[0].concurrency', 3, 'at least 4, one for each worker'],
    ['mirror.routes[0].noiseFloor.concurrency', 1, 'at least 4, one for each worker'],
  ])
})

test('a trailing slash does not make a route’s path distinct', () => {
  const routes = [{ path: '/p/' }, { path: '/p/q' }, { path: '/p' }]
  const { problems } = decode({ primary: 'http://127.0.0.1:9000', routes })
  expect(inOrder(problems)).toEqual([
    ['mirror.routes[2].path', '/p', 'a path that no other route has; one route takes several methods and candidates'],
  ])
})

test('a validation may appear on one route only, and once', () => {
  const candidates = [{ validation: 'v', url: 'http://127.0.0.1:8090' }]
  const routes = [
    { path: '/p', candidates },
    { path: '/q', candidates: [], noiseFloor: { validation: 'v', share: 1 } },
  ]
  const { problems } = decode({ primary: 'http://127.0.0.1:9000', routes })
  expect(problems.map(({ path, expected }) => [path, expected])).toEqual([
    ['mirror.routes[1].noiseFloor.validation', 'a validation that stands on one route, once'],
  ])
})
