import { expect, test } from 'vitest'
import { decodeSection } from '../runtime/config/load-config.ts'
import { candidateServerSchema } from './config.ts'
import { testConfig } from './testing/start-test-server.ts'

const model = { name: 'digits', path: './digits.onnx' }
const problemsOf = (section: unknown) =>
  decodeSection(section, 'candidateServer', candidateServerSchema, {}).problems.map(
    ({ path, expected }) => `${path}: ${expected}`,
  )

test('a config as people write it is accepted', () => {
  const { value, problems } = decodeSection(
    {
      listen: '127.0.0.1:8090',
      cpu: { instances: 'auto', threads: 'auto', allocator: 'auto' },
      queue: { max: 256, timeout: '10s' },
      models: [{ ...model, version: '3', batch: { sizeMax: 8, delayMax: '2ms' }, adapter: 'tensor' }],
    },
    'candidateServer',
    candidateServerSchema,
    {},
  )
  expect(problems).toEqual([])
  expect(value).toMatchObject({ queue: { timeout: 10_000 }, models: [{ version: '3', batch: { delayMax: 2 } }] })
})

test('omitted settings have their defaults', () => {
  expect(testConfig({ cpu: {}, models: [model] })).toMatchObject({
    cpu: { instances: 'auto', threads: 'auto', allocator: 'auto', straddleNuma: false },
    queue: { max: 256, timeout: 10_000 },
    limits: { bodyMax: 16 * 1024 * 1024 },
    models: [{ version: '1', adapter: 'tensor', batch: { delayMax: 0 }, session: { graphOptimization: 'all' } }],
  })
})

test('all problems are reported at once', () => {
  const problems = problemsOf({
    listen: 'here',
    cpu: { instances: 0, allocator: 'mimalloc', pinned: true },
    queue: { timeout: 10 },
    models: [{ name: 'a b', path: '', batch: { sizeMax: 0 }, adapter: 'onnx' }],
  })
  const about = (path: string) => problems.find((problem) => problem.startsWith(`candidateServer.${path}:`))
  expect(about('listen')).toContain('HOST:PORT')
  expect(about('cpu.instances')).toContain('auto, or the number of instances')
  expect(about('cpu.allocator')).toContain('jemalloc')
  expect(about('cpu.pinned')).toContain('no such key')
  expect(about('queue.timeout')).toContain('a duration')
  expect(about('models[0].name')).toContain('letters')
  expect(about('models[0].path')).toContain('ONNX')
  expect(about('models[0].batch.sizeMax')).toContain('1 to 4096')
  expect(about('models[0].adapter')).toContain('./my-adapter.ts')
})

test('two models with the same name are a problem, and so is having none', () => {
  const [first, second] = ['/score', '/digits'].map((path) => ({ ...model, paths: [path, '/predict'] }))
  expect(problemsOf({ models: [first, { ...model, name: 'other' }, second] })).toEqual([
    'candidateServer.models[2].name: a name that no other model has',
    'candidateServer.models[2].paths[1]: a path that no model has yet',
  ])
  const paths = ['/predictions/a', '/predictions/b/1', '/v2/models/b/infer', '/predictions/other']
  expect(
    problemsOf({
      models: [
        { ...model, name: 'a', paths },
        { ...model, name: 'b' },
      ],
    }),
  ).toEqual([
    'candidateServer.models[0].paths[1]: a path that does not lead to the model b',
    'candidateServer.models[0].paths[2]: a path that does not lead to the model b',
  ])
  expect(problemsOf({ models: [] })[0]).toContain('at least one model')
  expect(problemsOf({})[0]).toContain('at least one model')
})

test('settings that could never work are a problem: a body over the limit for all, a path that the server answers itself', () => {
  const limits = { bodyMax: '512MiB' }
  expect(problemsOf({ limits, models: [model] })).toEqual([
    'candidateServer.limits.bodiesMax: at least bodyMax, 512MiB',
  ])
  expect(problemsOf({ limits: { ...limits, bodiesMax: '0.5GiB' }, models: [model] })).toEqual([])
  expect(problemsOf({ limits: { ...limits, bodiesMax: 'much' }, models: [model] })[0]).toContain('a size such as')
  for (const runRssMax of ['2GiB', '4GiB']) {
    expect(problemsOf({ limits: { rssMax: '4GiB', runRssMax }, models: [model] })).toEqual([
      'candidateServer.limits.runRssMax: more than rssMax, 4GiB',
    ])
  }
  expect(problemsOf({ limits: { runRssMax: '2GiB' }, models: [model] })).toEqual([])
  const paths = ['/api/classify', '/metrics']
  expect(problemsOf({ models: [{ ...model, paths }] })).toEqual([
    'candidateServer.models[0].paths[1]: a path that the server does not answer itself',
  ])
  expect(problemsOf({ models: [{ ...model, name: 'stats' }] })).toEqual([
    'candidateServer.models[0].name: another name: /v2/models/stats has the statistics of all models',
  ])
  for (const paths of [[7], { '/api/classify': null }]) {
    expect(problemsOf({ limits: null, models: [null, { ...model, paths }] }).length).toBeGreaterThan(0)
  }
})

test('an input to dispatch by is a problem where the elements of all count', () => {
  const dispatched = (dispatch: object) => ({ models: [{ ...model, dispatch: { groups: [{}], ...dispatch } }] })
  expect(problemsOf(dispatched({ by: 'elements', input: 'ids' }))).toEqual([
    'candidateServer.models[0].dispatch.input: by: length beside it; by: elements counts those of all inputs',
  ])
  for (const fine of [{ by: 'elements' }, { input: 'ids' }]) expect(problemsOf(dispatched(fine))).toEqual([])
})

test('options of an adapter that the model does not have are a problem', () => {
  const [image, text] = [{ resize: 224 }, { maxLength: 256 }]
  expect(
    problemsOf({
      models: [
        { ...model, image, text },
        { ...model, name: 'b', adapter: 'image', image, text },
      ],
    }),
  ).toEqual([
    'candidateServer.models[0].image: adapter: image beside it; the adapter is tensor',
    'candidateServer.models[0].text: adapter: text beside it; the adapter is tensor',
    'candidateServer.models[1].text: adapter: text beside it; the adapter is image',
  ])
})

test('instance groups: sizes ascend, only the last is unlimited, and counts are given in one place only', () => {
  const dispatch = {
    groups: [{ upTo: 64, instances: 2 }, { upTo: 256, threads: 2, batch: { sizeMax: 2 } }, { threads: 4 }],
  }
  expect(testConfig({ cpu: {}, models: [{ ...model, dispatch }] }).models[0]!.dispatch).toEqual({
    by: 'length',
    spillOver: 'larger',
    groups: [
      { upTo: 64, instances: 2, threads: 1 },
      { upTo: 256, instances: 1, threads: 2, batch: { sizeMax: 2 } },
      { instances: 1, threads: 4 },
    ],
  })
  for (const groups of [
    [{ upTo: 64 }, { upTo: 64 }],
    [{}, { upTo: 64 }],
    [{ upTo: 64 }, {}, {}],
  ]) {
    expect(problemsOf({ models: [{ ...model, dispatch: { groups } }] })[0]).toContain('groups whose upTo ascends')
  }
  expect(problemsOf({ models: [{ ...model, threads: 2, dispatch }] })[0]).toContain('not both')
  expect(problemsOf({ models: [{ ...model, dispatch: { groups: [], by: 'size' } }] }).join()).toMatch(
    /dispatch\.by: .*length .*dispatch\.groups: one to 16 groups/,
  )
})

test('session switches are a closed list, since the runtime silently ignores unknown ones', () => {
  const session = { graphOptimization: 'extended', memoryArena: false, extra: { 'session.dynamic_block_base': 4 } }
  expect(testConfig({ models: [{ ...model, session }] }).models[0]!.session).toEqual({
    ...session,
    memoryPattern: true,
    amx: true,
    spaceToDepth: true,
  })
  const problems = problemsOf({
    cpu: { spinning: 'on', hugePages: 'yes' },
    models: [{ ...model, session: { graphOptimization: 'most', extra: { 'session.dynamic_block_bas': 4 } } }],
  }).join('\n')
  expect(problems).toContain('cpu.spinning: auto, true or false')
  expect(problems).toContain('cpu.hugePages: true or false')
  expect(problems).toContain('session.graphOptimization: disabled, basic, extended, layout or all')
  expect(problems).toMatch(/dynamic_block_bas.*no such key/)
})

test('a wait or a run limited to zero time is a problem: every request would fail', () => {
  const section = { queue: { timeout: '0s' }, limits: { startTimeout: '0ms', runTimeout: '0s', drainTimeout: '0s' } }
  expect(problemsOf({ ...section, models: [model] })).toEqual(
    ['queue.timeout', 'limits.startTimeout', 'limits.runTimeout'].map(
      (path) => `candidateServer.${path}: a duration above zero, such as 30d, 10m, 10s or 2ms`,
    ),
  )
})

test('no timeout exceeds what a timer can hold: it would fire at once', () => {
  const long = '90d'
  const timeouts = ['bodyTimeout', 'startTimeout', 'runTimeout', 'drainTimeout'] as const
  const { cpu, queue, limits, models } = testConfig({
    cpu: { watch: long },
    queue: { timeout: long },
    limits: Object.fromEntries(timeouts.map((name) => [name, long])),
    models: [{ ...model, batch: { delayMax: long }, dispatch: { groups: [{ batch: { delayMax: long } }] } }],
  })
  const { batch, dispatch } = models[0]!
  const delays = [batch, dispatch!.groups[0]!.batch!].map(({ delayMax }) => delayMax!)
  const all = [cpu.watch, queue.timeout, ...delays, ...timeouts.map((name) => limits[name])]
  // a whole shutdown takes some seconds more than `drainTimeout`
  expect(Math.max(...all)).toBeLessThan(2 ** 31 - 60_000)
  expect(Math.min(...all)).toBe(24 * 86_400_000)
})
