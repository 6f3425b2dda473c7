import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { ended, runCommand, startCommand, understudy } from './support/command.ts'
import { temporaryDirectory } from './support/services.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)
const { fileWith } = directory

describe('understudy', () => {
  test('lists its commands, and says what was expected instead of a wrong one', async () => {
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
    expect((await runCommand(['mirror', '--help'])).stdout).toMatch(/--config <file> .* \(required\)/)
  })

  test('exits with 2 if a subcommand is misused, so that nobody takes it for a verdict', async () => {
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

  test('keeps its exit status if its reader is gone, and fails if its output is lost otherwise', async () => {
    const child = startCommand(['config', 'check', fileWith('unread.yaml', 'mirror: {}')])
    child.stdout!.destroy()
    const stderr = text(child.stderr!)
    expect([await ended(child), await stderr]).toEqual([2, ''])

    const full = openSync('/dev/full', 'w')
    const lost = spawnSync(process.execPath, [understudy, 'plan'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect(lost).toMatchObject({ status: 2, stderr: 'understudy: standard output cannot be written (ENOSPC)\n' })
  })

  test('keeps the error on the screen, however many options there are', async () => {
    const { stderr } = await runCommand(['load', '--target', 'localhost:80'])
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^error: .* 'localhost:80' is invalid\. expected a URL/),
      'Usage: understudy load [options]; --help tells more',
      '',
    ])
  })

  test('reports all wrong and missing options at once', async () => {
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

describe('understudy config try', () => {
  const config = fileWith(
    'try.yaml',
    `
comparator:
  validations:
    - name: tags
      output: { kind: classification, scores: /tags }
      outputs: { cost: { kind: regression, value: /cost } }
      gate: [{ metric: agreement, min: 0.9 }]
`,
  )
  const body = (name: string, document: object) => fileWith(name, JSON.stringify(document))
  const primary = body('primary.json', { tags: [{ label: 'cat', score: 0.9 }], cost: 2 })

  test('reports what the mappings find in saved bodies, and how far apart two bodies are', async () => {
    const candidate = body('candidate.json', { tags: [{ label: 'cat', score: 0.75 }], cost: [2] })
    const tried = await runCommand(['config', 'try', config, 'tags', '--primary', primary, '--candidate', candidate])
    expect(tried).toMatchObject({ status: 0 })
    expect(tried.stdout.split('\n')).toEqual([
      'tags',
      '  primary    cat, of cat 0.9',
      '  candidate  cat, of cat 0.75',
      '  disagreement 0.1304 (0: alike)',
      'tags, outputs.cost',
      '  primary    2',
      '  candidate  2',
      '  disagreement 0 (0: alike)',
      '',
    ])
  })

  test('exits with 1 if they find nothing, and says what is there; with 2 if it was misused', async () => {
    const other = body('other.json', { tags: [{ class: 'cat', p: 0.9 }], cost: 2 })
    const tried = await runCommand(['config', 'try', config, 'tags', '--candidate', other, '--json'])
    expect(tried.status).toBe(1)
    expect(JSON.parse(tried.stdout)).toEqual({
      '': { problem: expect.stringContaining('found an object of class, p at 0') },
      cost: { candidate: { kind: 'value', value: 2 } },
    })
    const refusal = body('refusal.json', { message: 'input text is missing' })
    expect(await runCommand(['config', 'try', config, 'tags', '--candidate', refusal])).toMatchObject({
      status: 1,
      stderr: `${refusal} begins: {"message":"input text is missing"}\n`,
    })
    expect(await runCommand(['config', 'try', config, 'tag', '--primary', primary])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no validation tag; it has tags'),
    })
    expect(await runCommand(['config', 'try', config, 'tags'])).toMatchObject({ status: 2 })
    expect(await runCommand(['config', 'try', config, 'tags', '--primary', 'nowhere'])).toMatchObject({ status: 2 })
    expect(await runCommand(['config', 'try', config, 'tags', '--primary', '-', '--candidate', '-'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('standard input holds one body'),
    })
    // endless, and of no size
    expect(await runCommand(['config', 'try', config, 'tags', '--primary', '/dev/zero'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a response body of at most 16777216 bytes, /dev/zero has more'),
    })
  })

  test('tries each of two bodies, and reports what mirrors would not compare', async () => {
    const large = body('large.json', { cost: 1, more: 'x'.repeat(1024 * 1024) })
    const packed = fileWith('packed.json', '')
    writeFileSync(packed, gzipSync('{"cost": 1}'))
    const tried = await runCommand(['config', 'try', config, 'tags', '--primary', large, '--candidate', packed])
    expect(tried).toMatchObject({ status: 1 })
    expect(tried.stdout).toMatch(/the primary's \/tags: .*; the candidate's body: expected JSON/)
    expect(tried.stderr).toMatch(/large.json has \d+ bytes: mirrors compare no more than capture.bodyMax/)
    expect(tried.stderr).toContain('packed.json looks compressed')
  })

  test('prints given labels, but no control characters of a body', async () => {
    const file = fileWith('given.yaml', readFileSync(config, 'utf8').replace('scores: /tags', '$&, scoreMin: 0.5'))
    const tags = [
      { label: 'cat\u001b[2K\n\u009b', score: 0.9 },
      { label: 'dog', score: 0.6 },
      { label: 'bird', score: 0.1 },
    ]
    const legs = [
      '--primary',
      body('given.json', { tags, cost: 2 }),
      '--candidate',
      body('none.json', { tags: [], cost: 2 }),
    ]
    const { stdout } = await runCommand(['config', 'try', file, 'tags', ...legs])
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      '  primary    cat\\u001b[2K\\u000a\\u009b, dog, of cat\\u001b[2K\\u000a\\u009b 0.9, dog 0.6, bird 0.1',
      '  candidate  (no label)',
    ])
    const inJson = (await runCommand(['config', 'try', file, 'tags', ...legs, '--json'])).stdout
    expect(inJson).not.toMatch(/[^\P{Cc}\n]/u)
    expect(JSON.parse(inJson)[''].primary.label).toBe(tags[0]!.label)
  })
})

describe('understudy config check', () => {
  test('accepts the whole reference config', async () => {
    const file = join(import.meta.dirname, '../docs/understudy.example.yaml')
    const { status, stdout } = await runCommand(['config', 'check', file], { UNDERSTUDY_INGEST_TOKEN: 't' })
    expect(stdout).toContain('valid (mirror, candidateServer, comparator)')
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

  test('reports contradictions between sections, with the environment and the defaults applied', async () => {
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
