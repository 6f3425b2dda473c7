import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { demoModel, testModel } from '../../candidate-server/testing/start-test-server.ts'
import { wordPiece } from '../../candidate-server/testing/tokenizers.ts'
import { runCommand, startCommand } from '../../test/support/command.ts'
import { temporaryDirectory } from '../../test/support/services.ts'
import { exitCodes } from '../failure.ts'
import { tuneCommand } from '../tune.ts'
import { level, row } from './rows.fixture.ts'
import type { TuneSettings } from './run-tune.ts'
import { nameOfFile } from './tune-model.ts'
import { reportTune } from './tune-report.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)
const place = (name: string) => join(directory.path, name)
const small = ['--instances', '1', '--threads', '1', '--switches', 'none', '--window', '60ms', '--even-if-busy']
/** For tests in which the figures themselves do not matter. */
const hasty = [...small, '--window', '20ms']

/** Runs the command in this process: returns its output and the status that it would exit with. */
async function tuneHere(...args: string[]): Promise<{ status: unknown; stdout: string }> {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const before = process.exitCode
  try {
    await tuneCommand().exitOverride().parseAsync(args, { from: 'user' })
    return { status: process.exitCode, stdout: printed.mock.calls.map(([text]) => text).join('') }
  } finally {
    process.exitCode = before
    printed.mockRestore()
    told.mockRestore()
  }
}

describe('understudy tune', () => {
  test('measures real servers, and writes the best configuration into the config, and a picture', async () => {
    const config = place('understudy.yaml')
    const entry = `    - { name: total, path: ${testModel('sum')}, batch: { sizeMax: 9 } } # tuned\n`
    writeFileSync(config, `candidateServer:\n  listen: 127.0.0.1:8090\n  models:\n${entry}`)
    const files = ['--write', config, '--picture', place('p.svg')]
    const space = [...small, '--batch', '4', '--delay', '0ms', '--clients', '4', '--latency', '10s', '--json']
    const { status, stdout, stderr } = await runCommand(['tune', '--model', testModel('sum'), ...space, ...files])
    expect(stderr).not.toContain('Error')
    const result = JSON.parse(stdout)
    expect(status).toBe(0)
    expect(result.rows.map(({ configuration }: any) => configuration.sizeMax)).toEqual([4])
    for (const { best } of result.rows) {
      expect(best).toMatchObject({ concurrency: 4, failures: 0, satisfies: true })
      expect(best.throughput).toBeGreaterThan(10)
      expect(best.latencyMs.p99).toBeGreaterThanOrEqual(best.latencyMs.p50)
      // four clients in a closed loop, so Little's law relates the two
      expect((best.throughput * best.latencyMs.p50) / 1000).toBeLessThan(8)
      if (process.platform === 'linux') expect(best.cpus).toBeGreaterThan(0)
    }
    const written = readFileSync(config, 'utf8')
    expect(written).toContain('# tuned')
    const { cpu, models } = parse(written).candidateServer
    expect(cpu).toMatchObject({ instances: 1, threads: 1 })
    expect(models).toMatchObject([{ name: 'total', batch: { sizeMax: result.chosen.sizeMax, delayMax: '0ms' } }])
    expect(readFileSync(place('p.svg'), 'utf8')).toContain('<circle')
  })

  test('has rows for each file, says why one could not be served, and writes the config for the model itself', async () => {
    const config = place('also.yaml')
    const broken = place('broken-int8.onnx')
    writeFileSync(broken, 'this is no model')
    const files = ['--also', demoModel('diabetes-student-int8'), '--also', broken, '--write', config]
    const space = [...hasty, '--batch', '1', '--clients', '1']
    const args = ['--model', relative('.', demoModel('diabetes-student')), ...space, ...files]
    const { status, stdout } = await tuneHere(...args)
    expect(status).toBe(0)
    expect(stdout).toMatch(/^\* +diabetes-student\.onnx +1 × 1/m)
    expect(stdout).toMatch(/^ +diabetes-student-int8\.onnx +1 × 1/m)
    expect(stdout).toMatch(/^ +broken-int8\.onnx +1 × 1 .*failed/m)
    expect(stdout).toMatch(/^failed: .*broken-int8\.onnx is not a model that ONNX Runtime can load/m)
    expect(parse(readFileSync(config, 'utf8')).candidateServer.models).toMatchObject([
      { path: demoModel('diabetes-student') },
    ])
  })

  test.runIf(process.platform === 'linux')('ends its server and prints what it has when interrupted', async () => {
    const args = ['tune', '--model', testModel('sum'), ...small, '--window', '20s']
    const child = startCommand(args)
    let stdout = ''
    child.stdout!.on('data', (chunk) => (stdout += chunk))
    const servers = await childrenOf(child.pid!)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([130, null])
    expect(stdout).toContain('nothing was measured')
    for (const pid of servers) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test.each([
    ['models/sum.onnx', 'sum'],
    ['my model (1).onnx', 'my-model--1-'],
    ['_quantized.onnx', 'quantized'],
    ['模型.onnx', 'model'],
    ['stats.onnx', 'model'],
    [`${'x'.repeat(120)}.onnx`, 'x'.repeat(100)],
  ])('names the model of %j as a config allows', (file, name) => {
    expect(nameOfFile(file)).toBe(name)
  })

  test('finds the tokenizer that the config names relative to itself', async () => {
    writeFileSync(place('pieces.json'), JSON.stringify(wordPiece()))
    const config = place('text.yaml')
    const entry = `{ name: text, path: ${testModel('echo-text')}, adapter: text, text: { tokenizer: pieces.json } }`
    writeFileSync(config, `candidateServer: { models: [${entry}] }`)
    const requests = place('texts.jsonl')
    writeFileSync(requests, '{"path": "/predictions/text", "body": "the cat sat"}')
    const space = [...hasty, '--batch', '1', '--clients', '1', '--requests', requests]
    const result = await tuneHere('--model', testModel('echo-text'), '--config', config, ...space)
    expect(result).toMatchObject({ status: 0, stdout: expect.stringContaining('# the best') })
  })

  test.runIf(process.platform === 'linux')('counts a module’s own process as part of the server', async () => {
    const burn = 'const { user } = process.cpuUsage(); while (process.cpuUsage().user - user < 20_000);'
    const tensors = '{ a: { shape: [1, 2], data: [1, 2] }, b: { shape: [1, 2], data: [3, 4] } }'
    writeFileSync(
      place('busy.mjs'),
      `export const toTensors = () => { ${burn} return ${tensors} }\nexport const toResponse = () => ({})`,
    )
    const requests = place('any.jsonl')
    writeFileSync(requests, '{"path": "/predictions/sum", "body": {}}')
    const space = [...small, '--batch', '1', '--clients', '1', '--requests', requests, '--json']
    const files = ['--adapter', relative('.', place('busy.mjs')), '--write', place('busy.yaml')]
    const { best } = JSON.parse((await tuneHere('--model', testModel('sum'), ...space, ...files)).stdout).rows[0]
    expect((1000 * best.cpus) / best.throughput).toBeGreaterThan(15)
    // the server may be started from anywhere
    expect(parse(readFileSync(place('busy.yaml'), 'utf8')).candidateServer.models).toMatchObject([
      { path: testModel('sum'), adapter: place('busy.mjs') },
    ])
  })

  test('without a limit explains requests that failed in every row', async () => {
    const requests = place('half-wrong.jsonl')
    writeFileSync(requests, '{"path": "/predictions/table", "body": 1}\n{"path": "/predictions/table", "body": "one"}')
    const space = [...hasty, '--batch', '1', '--clients', '1', '--requests', requests]
    const { status, stdout } = await tuneHere('--model', testModel('table'), ...space)
    expect(status).toBe(1)
    expect(stdout).toMatch(/^failed: requests, such as HTTP 400, .*expected a JSON body/m)
    expect(stdout).toMatch(/^no configuration answers without failures$/m)
  })

  test.each([
    ['broken.onnx', 'this is no model', 'broken.onnx is not a model that ONNX Runtime can load: '],
    ['web.onnx', '<html>', 'it is a web page; download the file itself'],
  ])('refuses %s before anything else', async (name, text, expected) => {
    const model = place(name)
    writeFileSync(model, text)
    await expect(tuneHere('--model', model, '--threads', '4000')).rejects.toMatchObject({
      message: expect.stringContaining(expected),
      exitCode: exitCodes.usage,
    })
  })

  test('quotes the server on why a model cannot be served, and changes no file', async () => {
    const model = testModel('zipmap')
    await expect(tuneHere('--model', model, ...small, '--write', place('none.yaml'))).rejects.toMatchObject({
      message: expect.stringContaining('a sequence, a map or optional, not a tensor'),
      exitCode: exitCodes.usage,
    })
    expect(() => readFileSync(place('none.yaml'))).toThrow('ENOENT')
  })

  test('names no temporary file where a setting is wrong', async () => {
    await expect(tuneHere('--model', testModel('sum'), ...small, '--adapter', 'sound')).rejects.toThrow(
      /^the config of the server to measure: 1 problem\n {2}candidateServer\.models\[0\]\.adapter: "sound"/,
    )
  })

  test('does not start a search whose result could not be written', async () => {
    const config = place('wrong.yaml')
    writeFileSync(config, 'candidateServer: { lisen: 127.0.0.1:1 }')
    const command = tuneCommand().exitOverride()
    const args = ['--model', testModel('sum'), ...small, '--write']
    await expect(command.parseAsync([...args, config], { from: 'user' })).rejects.toThrow('lisen')
    await expect(tuneCommand().parseAsync([...args, place('no/such/f.yaml')], { from: 'user' })).rejects.toThrow(
      'ENOENT',
    )
    expect(readFileSync(config, 'utf8')).toBe('candidateServer: { lisen: 127.0.0.1:1 }')
    await expect(tuneCommand().parseAsync([...args, directory.path], { from: 'user' })).rejects.toMatchObject({
      message: `${directory.path} cannot be read (EISDIR); expected a config`,
      exitCode: exitCodes.usage,
    })
    const picture = [...args.slice(0, -1), '--picture', place('no/such/p.svg')]
    await expect(tuneCommand().parseAsync(picture, { from: 'user' })).rejects.toMatchObject({
      message: expect.stringContaining('p.svg cannot be written (ENOENT)'),
      exitCode: exitCodes.usage,
    })
  })

  test('prints a result that can no longer be written, and exits with an error', () => {
    const found = row({}, level(100, 10))
    const result = { rows: [found], chosen: found, better: undefined, warnings: [], interrupted: false }
    const settings = { limit: { latencyMs: undefined, percentile: 99 }, model: { name: 'm', path: '/m.onnx' } }
    const tuned = { file: '/m.onnx', name: 'm', entry: {} }
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    onTestFinished(() => printed.mockRestore())
    for (const files of [{ write: place('gone/f.yaml') }, { picture: place('gone/p.svg') }]) {
      const [file] = Object.values(files)
      expect(() => reportTune(result, settings as TuneSettings, tuned, files)).toThrow(
        expect.objectContaining({ message: `${file} cannot be written (ENOENT)`, exitCode: exitCodes.usage }),
      )
      expect(printed.mock.lastCall?.[0]).toContain('# the best')
    }
  })

  test.each([
    [['--model', 'nowhere.onnx'], 'nowhere.onnx does not exist'],
    [['--model', testModel('sum'), '--also', 'nowhere-int8.onnx'], 'nowhere-int8.onnx does not exist'],
    [['--model', testModel('sum'), '--latency', '50'], 'expected a duration'],
    [['--model', testModel('sum'), '--picture', 'p.png'], 'file.svg or file.html'],
    [['--model', testModel('sum'), '--threads', '0'], 'expected a whole number'],
    [['--model', testModel('sum'), '--threads', '4000'], 'TOO_MANY_THREADS'],
    [['--model', testModel('sum'), '--switches', 'turbo'], 'hugePages'],
    [['--model', testModel('sum'), '--shape', 'a'], 'image=1x3x224x224'],
    [['--model', testModel('sum'), '--config', 'nowhere.yaml'], 'nowhere.yaml does not exist'],
  ])('says what was expected of %j', async (args, expected) => {
    const command = tuneCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
    await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(expected)
  })
})

/** Waits until the process has a child. */
async function childrenOf(pid: number): Promise<number[]> {
  for (;;) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    if (children !== '') return children.split(' ').map(Number)
    await sleep(10)
  }
}
