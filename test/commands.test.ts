import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { ended, freePorts, runCommand, startCommand } from './support/command.ts'
import {
  classification,
  eventually,
  observation,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'
import { temporaryDirectory } from './support/services.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)
const fileWith = (name: string, text: string) => {
  const file = join(directory.path, name)
  writeFileSync(file, text)
  return file
}

describe('understudy', () => {
  test('lists its commands, and says what was expected of a wrong one', async () => {
    const help = await runCommand(['--help'])
    expect(help.status).toBe(0)
    for (const command of [
      'demo',
      'mirror',
      'candidate-server',
      'comparator',
      'config',
      'migrate',
      'plan',
      'tune',
      'load',
      'gate',
      'promote',
      'rollback',
      'reject',
    ]) {
      expect(help.stdout).toContain(command)
    }
    expect(await runCommand(['--version'])).toMatchObject({ status: 0, stdout: `${packageJson.version}\n` })
    expect(await runCommand(['perform'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown command'),
    })
    expect(await runCommand(['mirror'])).toMatchObject({ status: 2, stderr: expect.stringContaining('--config') })
  })

  test('ends with 2 where a subcommand is used wrongly, so that nobody takes it for a verdict', async () => {
    expect(await runCommand(['config', 'check'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/missing required argument[\s\S]*Usage: understudy config check/),
    })
    expect(await runCommand(['audit', 'verify', '--expct', 'x'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unknown option'),
    })
    expect((await runCommand(['config', 'check', '--help'])).status).toBe(0)
    for (const without of [[], ['audit'], ['config']]) {
      expect(await runCommand(without)).toMatchObject({ status: 2, stderr: expect.stringContaining('Commands:') })
    }
    expect(await runCommand(['help', 'audit'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('audit [options] [command]'),
    })
  })

  test('leaves what was wrong on the screen, however many options there are', async () => {
    const { stderr } = await runCommand(['load', '--target', 'localhost:80'])
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^error: .* 'localhost:80' is invalid\. expected a URL/),
      'Usage: understudy load [options]; --help tells more',
      '',
    ])
  })

  test('tells all wrong and missing options at once', async () => {
    const { status, stderr } = await runCommand(['load', '--rate', 'x', '--duration', '0s', '--bogus'])
    expect(stderr.split('\n').map((line) => /'(-[^ ']+)|Usage/.exec(line)?.[1] ?? line.slice(0, 5))).toEqual([
      '--rate',
      '--duration',
      '--target',
      '--bogus',
      'Usage',
      '',
    ])
    expect(status).toBe(2)
  })
})

describe('understudy config check', () => {
  test('accepts the whole of the reference config', async () => {
    const file = join(import.meta.dirname, '../docs/understudy.example.yaml')
    const { status, stdout } = await runCommand(['config', 'check', file], { UNDERSTUDY_INGEST_TOKEN: 't' })
    expect(stdout).toContain('fine (mirror, candidateServer, comparator)')
    expect(status).toBe(0)
  })

  test('reports every problem of every section at once, each with path, value and expectation', async () => {
    const file = fileWith(
      'bad.yaml',
      `
mirror:
  listen: here
  primary: ftp://somewhere
  timeout: 10 parsecs
  routes: [{ path: predictions, candidates: [{ validation: v, url: "http://127.0.0.1:1", share: 2 }] }]
  extra: 1
candidateServer:
  models: [{ name: m, version: "1" }]
comparator:
  database: mysql://x
  tokens: [{ name: t, role: king, sha256: abc }]
  validations:
    - { name: v, output: { kind: regression, value: /y }, gate: [{ metric: agreement, min: 1 }, { metric: mae }, { metric: mae, min: 2, max: 1 }] }
    - { name: w, output: { kind: poem }, gate: [] }
    - { name: v, output: { kind: regression, value: /y }, gate: [{ metric: mae, max: 1 }] }
`,
    )
    const { status, stdout } = await runCommand(['config', 'check', file, '--json'])
    const paths = JSON.parse(stdout).problems.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'mirror.listen',
        'mirror.primary',
        'mirror.timeout',
        'mirror.routes[0].path',
        'mirror.routes[0].candidates[0].share',
        'mirror.extra',
        'candidateServer.models[0].path',
        'comparator.database',
        'comparator.tokens[0].role',
        'comparator.tokens[0].sha256',
        'comparator.validations[0].gate[0].metric',
        'comparator.validations[0].gate[1]',
        'comparator.validations[0].gate[2].min',
        'comparator.validations[2].name',
        'comparator.validations[1].output.kind',
        'comparator.validations[1].gate',
      ]),
    )
    expect(status).toBe(2)
    const one = await runCommand(['config', 'check', fileWith('one.yaml', 'comparator: { extra: 1 }')])
    expect(one.stdout).toMatch(/one\.yaml: 1 problem\n {2}comparator\.extra: /)
    const text = await runCommand(['comparator', '--config', file])
    expect(text.status).toBe(2)
    expect(text.stderr).toContain(
      'comparator.tokens[0].role: "king"; expected one of ingest, viewer, operator, approver, admin',
    )
  })

  test('reports what sections get wrong of each other, with the environment and the defaults', async () => {
    const file = fileWith(
      'apart.yaml',
      `
mirror:
  primary: http://127.0.0.1:9000
  comparator: { url: "http://127.0.0.1:7070", token: t }
  routes:
    - path: /score
      candidates: [{ validation: "score-\${WHICH}", url: "http://127.0.0.1:8090" }]
      noiseFloor: { validation: "\${UNSET}", share: 0.1 }
comparator:
  validations:
    - name: score-int8
      output: { kind: regression, value: /y }
      slices: [{ name: tenant, header: x-tenant }]
      gate: [{ metric: mae, max: 1 }]
`,
    )
    const { status, stdout } = await runCommand(['config', 'check', file], { WHICH: 'int9' })
    expect(stdout.split('\n').slice(1, -1)).toEqual([
      '  mirror.routes[0].noiseFloor.validation: "${UNSET}"; expected the environment variable UNSET to be set',
      '  mirror.routes[0].candidates[0].validation: "score-int9"; expected a name in comparator.validations: score-int8',
      '  comparator.validations[0].slices[0].header: "x-tenant"; expected a header in mirror.capture.headers: content-type',
    ])
    expect(status).toBe(2)
  })
})

describe('understudy plan', () => {
  test("prints this machine's plan as JSON", async () => {
    const { status, stdout } = await runCommand(['plan', '--instances', '1', '--threads', '1', '--json'])
    expect(status).toBe(0)
    const plan = JSON.parse(stdout)
    expect(plan.instances).toEqual([{ cpus: [plan.usableCores[0]], threads: 1, memoryNode: expect.anything() }])
    const [byItself, asDefault] = [
      await runCommand(['plan', '--instances', 'auto', '--threads', 'auto']),
      await runCommand(['plan']),
    ]
    expect([byItself.status, byItself.stdout]).toEqual([0, asDefault.stdout])
    const models = fileWith(
      'models.yaml',
      'candidateServer: { models: [{ name: a, path: a.onnx }, { name: b, path: b.onnx }] }',
    )
    const ofModels = ['plan', '--config', models, '--instances', '1', '--threads', '1']
    const placed = JSON.parse((await runCommand([...ofModels, '--json'])).stdout)
    expect(placed.instances.map(({ model }: { model: string }) => model)).toEqual(['a', 'b'])
    expect((await runCommand(ofModels)).stdout).toMatch(/^instance 1 {4}b: CPUs \d+, 1 thread/m)
    const unreadable = await runCommand(['plan', '--sysroot', directory.path])
    expect([unreadable.status, unreadable.stderr]).toEqual([2, expect.stringContaining('TOPOLOGY_UNREADABLE')])
    const tooMany = await runCommand(['plan', '--instances', '999', '--threads', '9'])
    expect(tooMany.status).toBe(2)
    expect(tooMany.stderr).toMatch(/cores/)
  })
})

describe('understudy migrate', () => {
  // three processes that each open an embedded database, the first of which creates it: seconds of WebAssembly
  test('applies the migrations and lists them', { timeout: 90_000 }, async () => {
    const file = fileWith('migrate.yaml', `comparator: { database: "embedded:${directory.path}/db" }`)
    const before = JSON.parse((await runCommand(['migrate', '--config', file, '--status', '--json'])).stdout)
    expect(before.migrations.every(({ appliedAt }: { appliedAt: unknown }) => appliedAt === null)).toBe(true)
    const { applied } = JSON.parse((await runCommand(['migrate', '--config', file, '--json'])).stdout)
    expect(applied).toEqual(before.migrations.map(({ name }: { name: string }) => name))
    expect(JSON.parse((await runCommand(['migrate', '--config', file, '--json'])).stdout).applied).toEqual([])
  })
})

describe('understudy gate, promote and rollback', () => {
  let comparator: TestComparator
  beforeAll(async () => {
    const apart = { ...classification, name: 'apart', requesterApproves: false }
    const all = [...['good', 'bad', 'none'].map((name) => ({ ...classification, name })), apart]
    comparator = await startTestComparator(all)
    for (const [name, wrong] of [
      ['good', 0],
      ['bad', 1],
      ['apart', 1],
    ] as const) {
      const bundle = Array.from({ length: 400 }, (_, i) =>
        observation({
          validation: name,
          at: Date.now() - 61_000 + i * 152,
          primary: scores(0),
          candidate: scores(wrong),
        }),
      )
      await comparator.post(bundle)
    }
  })
  afterAll(() => comparator?.close())
  const run = (...args: string[]) =>
    runCommand([...args, '--server', comparator.url], { UNDERSTUDY_TOKEN: tokens.approver })

  test('the verdict is the exit status: 0 pass, 1 fail, 3 inconclusive, 2 error', async () => {
    expect(await run('gate', 'good')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^good: pass\./) })
    expect(await run('gate', 'bad')).toMatchObject({ status: 1, stdout: expect.stringMatching(/agreement 0\b/) })
    expect(await run('gate', 'none')).toMatchObject({ status: 3 })
    expect(await run('gate', 'nobody')).toMatchObject({ status: 2, stderr: expect.stringContaining('NOT_FOUND') })
    const nothingThere = await runCommand(['gate', 'good', '--server', 'http://127.0.0.1:1', '--token', 'x'])
    expect(nothingThere).toMatchObject({ status: 2, stderr: expect.stringContaining('does not answer') })
  })

  test('what answers and is no comparator, as behind the mirror, gives no verdict either', async () => {
    const app = createHttpServer((_, response) => void response.end('{"ok":true}')).listen(0, '127.0.0.1')
    await once(app, 'listening')
    onTestFinished(() => void app.close())
    const server = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
    for (const command of [
      ['gate', 'good'],
      ['gate', 'good', '--replay'],
      ['rollback', 'good', '--comment', 'back'],
      ['audit', 'verify'],
    ]) {
      expect(await runCommand([...command, '--server', server, '--token', 'x'])).toMatchObject({
        status: 2,
        stderr: `HTTP 200: ${server} is not a comparator\n`,
      })
    }
  })

  test('nor does an answer that breaks off', async () => {
    const dying = createHttpServer((_, response) => {
      response.write('{"verdict":', () => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(dying, 'listening')
    onTestFinished(() => void dying.close())
    const server = `http://127.0.0.1:${(dying.address() as AddressInfo).port}`
    expect(await runCommand(['gate', 'good', '--server', server, '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: `${server} does not answer: other side closed\n`,
    })
  })

  test('an address without its scheme is a wrong option, not a server that is away', async () => {
    for (const command of [
      ['gate', 'good'],
      ['promote', 'good', '--comment', 'x'],
      ['audit', 'verify'],
    ]) {
      expect(await runCommand([...command, '--server', '127.0.0.1:7070', '--token', 'x'])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("'127.0.0.1:7070' is invalid. expected a URL such as http://"),
      })
    }
    expect(await runCommand(['gate', 'good', '--server', 'http://me:x@127.0.0.1:7070', '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a URL without a user; give --token'),
    })
  })

  test('a token that no header takes is told as such, and not printed', async () => {
    for (const token of ['two\nsecret', 'secret…']) {
      expect(await runCommand(['gate', 'good', '--server', comparator.url, '--token', token])).toMatchObject({
        status: 2,
        stderr: 'expected a token of printable ASCII, without spaces or line breaks\n',
      })
    }
    expect(await run('gate', 'good', '--token', `${tokens.viewer}\n`)).toMatchObject({ status: 0 })
  })

  test('the options of --replay alone give no verdict over all of the window', async () => {
    for (const option of [
      ['--since', '2026-11-21T08:00:00Z'],
      ['--limit', '3'],
    ]) {
      expect(await run('gate', 'good', ...option)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('--replay'),
      })
    }
  })

  test('a promotion is made, and taken back', async () => {
    expect(await run('promote', 'bad', '--comment', 'please')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('GATE_NOT_PASSED'),
    })
    expect(await run('promote', 'good', '--comment', 'it passed')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('good: rollingOut'),
    })
    expect(await run('rollback', 'good', '--comment', 'never mind')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('good: rolledBack'),
    })
    expect(await run('reject', 'good', '--comment', 'no')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('PROMOTION_STATE'),
    })
  })

  test('one against the gate is asked for with --override, and approved with it', async () => {
    const promote = (token: string, ...more: string[]) =>
      runCommand(['promote', 'apart', '--comment', 'we must', '--server', comparator.url, '--token', token, ...more])
    expect(await promote(tokens.admin, '--override')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('apart: requested'),
    })
    expect(await promote(tokens.approver)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('GATE_NOT_PASSED'),
    })
    expect(await promote(tokens.approver, '--override')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('apart: rollingOut'),
    })
  })
})

describe('a service started from a config file', () => {
  test('drains on SIGTERM and exits with 0', async () => {
    const port = await freePorts(1)
    const file = fileWith('c.yaml', `comparator: { listen: "127.0.0.1:${port}", database: "embedded:memory" }`)
    const child = startCommand(['comparator', '--config', file])
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (ready) => ready,
    )
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  })

  test('a comparator outlives SIGHUP, and says that it reads its config at its start only', async () => {
    const port = await freePorts(1)
    const file = fileWith('h.yaml', `comparator: { listen: "127.0.0.1:${port}", database: "embedded:memory" }`)
    const child = startCommand(['comparator', '--config', file], { LOG_LEVEL: 'warn' })
    let log = ''
    child.stderr!.on('data', (chunk) => (log += chunk))
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await eventually(ready, (ok) => ok)
    child.kill('SIGHUP')
    await eventually(
      async () => log.includes('needs a restart') || child.signalCode !== null,
      (told) => told,
    )
    expect(log).toContain('a change of the config needs a restart')
    expect(await ready()).toBe(true)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  })

  test('says which of its addresses is taken, and what to do', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    onTestFinished(() => void holder.close())
    const taken = `127.0.0.1:${(holder.address() as AddressInfo).port}`
    const mirror = 'primary: "http://127.0.0.1:9", routes: []'
    const sections = {
      comparator: `comparator: { listen: "${taken}", database: "embedded:memory" }`,
      mirror: `mirror: { listen: "127.0.0.1:0", admin: "${taken}", ${mirror}, spool: { dir: "${directory.path}/s" } }`,
    }
    for (const [service, section] of Object.entries(sections)) {
      const file = fileWith(`${service}-taken.yaml`, section)
      expect(await runCommand([service, '--config', file])).toMatchObject({
        status: 1,
        stderr: `understudy: ${taken} is taken; change the address in the config or end what listens there\n`,
      })
    }
  })

  test('says so when its embedded database is in use', async () => {
    const port = await freePorts(1)
    const file = fileWith(
      'd.yaml',
      `comparator: { listen: "127.0.0.1:${port}", database: "embedded:${directory.path}/shared" }`,
    )
    const first = startCommand(['comparator', '--config', file])
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (ready) => ready,
    )
    const second = await runCommand(['comparator', '--config', file])
    expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining(`in use by process ${first.pid}`) })
    first.kill('SIGTERM')
    await ended(first)
  })
})
