import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadSection } from '../runtime/config/load-config.ts'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { candidateServerSchema } from './config.ts'
import { childrenOf } from './cpu/child-processes.ts'
import { readSysFile } from './cpu/sys-file.ts'
import { readTopology } from './cpu/topology.ts'
import { createReloader } from './reload.ts'
import { type CandidateServer, startCandidateServer } from './server.ts'
import { call, hold, spawnServer, startTestServer, testConfig, testModel } from './testing/start-test-server.ts'

const digestOfBytes = (file: Buffer) => `sha256:${createHash('sha256').update(file).digest('hex')}`
const digestOf = (name: string) => digestOfBytes(readFileSync(testModel(name)))

/** A server from a config file, as the command line starts it. */
async function start(models: string) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'config.yaml')
  const write = (text: string, { listen = '127.0.0.1:0', watch = '1m', bodiesMax = '1GiB' } = {}) =>
    writeFileSync(
      file,
      `candidateServer:\n  listen: ${listen}\n  cpu: { instances: 1, threads: 1, watch: ${watch} }\n  limits: { bodiesMax: ${bodiesMax} }\n  models:\n${text}\n`,
    )
  write(models)
  const config = loadSection(file, 'candidateServer', candidateServerSchema)
  const logger = createLogger('test', 'silent')
  const server = await startCandidateServer({ config, logger, folders: [folder] })
  onTestFinished(() => server.stop())
  const reloader = createReloader(file, config, server, logger)
  return { server, folder, write, reload: () => reloader.reload() }
}
const model = (name: string, file: string, more = '') =>
  `    - { name: ${name}, path: ${file.includes('/') ? file : testModel(file)}, batch: { sizeMax: 1 }${more} }`
const pidsOf = async ({ url }: CandidateServer) =>
  Object.fromEntries(
    ((await call(`${url}/plan`)).body.instances as { model: string; pid: number }[]).map(({ model, pid }) => [
      model,
      pid,
    ]),
  )
/** Children of this process, including those still loading. */
const instancePids = () =>
  childrenOf(process.pid).filter((pid) => readSysFile(`/proc/${pid}/cmdline`)?.includes('instance/main.ts'))
/** A model with two instances whose file is replaced by one that predicts 31 instead of 30. */
async function startReplaceable() {
  const { server, folder, write, reload } = await start(model('m', 'table'))
  const path = join(folder, 'm.onnx')
  const table = readFileSync(testModel('table'))
  const other = Buffer.from(table)
  other.writeFloatLE(31, other.indexOf(Buffer.from(Float32Array.of(30).buffer)))
  const predicted = new Map([table, other].map((file, i) => [digestOfBytes(file), 30 + i]))
  let file = table
  const replace = () => {
    file = file === table ? other : table
    writeFileSync(`${path}.new`, file)
    renameSync(`${path}.new`, path)
  }
  replace()
  return {
    server,
    replace,
    reload: (version: number) => {
      write(model('m', path, `, instances: 2, version: "${version}"`))
      return reload()
    },
    async expectItsOwnDigest({ url }: CandidateServer) {
      for (const { body, headers } of await Promise.all([1, 2, 3, 4].map(() => call(`${url}/predictions/m`, 3)))) {
        expect(body.predictions[1]).toBe(predicted.get(headers.get('x-model-digest')!))
      }
    },
  }
}
const reloads = async ({ url }: { url: string }, result: string) =>
  Number(
    new RegExp(`understudy_candidate_reloads_total\\{result="${result}"\\} (\\d+)`).exec(
      String((await call(`${url}/metrics`)).body),
    )?.[1],
  )
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describe('a reload', () => {
  test('repeats a warning about the plan only with another plan', async () => {
    const names = ['sum', 'slow', 'table']
    const section = (count: number) => ({
      models: names.slice(0, count).map((name) => ({ name, path: testModel(name) })),
    })
    const machine = readTopology()
    const oneCpu = { ...machine, allowedCpus: machine.allowedCpus.slice(0, 1) }
    const logger = createLogger('test', 'silent')
    const warn = vi.spyOn(logger, 'warn')
    const warnings = () => warn.mock.calls.filter(([what]) => (what as { code?: string }).code === 'CORES_SHARED')
    const server = await startTestServer(section(2), { logger, readTopology: () => oneCpu })
    onTestFinished(() => server.stop())
    expect(warnings()).toHaveLength(1)
    await server.reload(testConfig(section(2)))
    expect(warnings()).toHaveLength(1)
    await server.reload(testConfig(section(3)))
    expect(warnings()).toHaveLength(2)
  })

  test('replaces what has changed with new processes, and leaves the rest running', async () => {
    const { server, write, reload } = await start(`${model('sum', 'sum')}\n${model('slow', 'slow')}`)
    const before = await pidsOf(server)
    write(`${model('sum', 'sum')}\n${model('slow', 'slow', ', version: "2"')}`)
    await reload()
    const after = await pidsOf(server)
    expect(after.sum).toBe(before.sum)
    expect(after.slow).not.toBe(before.slow)
    const answer = await call(`${server.url}/predictions/slow`, [1])
    expect([answer.status, answer.headers.get('x-model-version')]).toEqual([200, '2'])
    await waitFor('the old process to be gone', () => isGone(before.slow!))

    write(`${model('slow', 'slow', ', version: "2"')}\n${model('table', 'table')}`)
    await reload()
    expect(Object.keys(await pidsOf(server))).toEqual(['slow', 'table'])
    expect((await call(`${server.url}/predictions/table`, 3)).body).toEqual({ predictions: [3, 30] })
    expect((await call(`${server.url}/predictions/sum`, { a: [1, 1], b: [2, 2] })).status).toBe(404)
    expect(await reloads(server, 'applied')).toBe(2)
  })

  test('picks up a file that has changed under the same name, and answers with its digest', async () => {
    const { server, folder, write, reload } = await start(model('m', 'echo-rgb'))
    const path = join(folder, 'm.onnx')
    copyFileSync(testModel('sum'), path)
    write(model('m', path))
    await reload()
    const ask = () => call(`${server.url}/v2/models/m`)
    expect((await ask()).headers.get('x-model-digest')).toBe(digestOf('sum'))
    copyFileSync(testModel('table'), path)
    await reload()
    expect((await ask()).headers.get('x-model-digest')).toBe(digestOf('table'))
    expect((await ask()).body.inputs[0].name).toBe('index')
  })

  test('picks up external data that has changed alone, and leaves unchanged data', async () => {
    const { server, folder, write, reload } = await start(model('m', 'table'))
    const path = join(folder, 'm.onnx')
    copyFileSync(testModel('external'), path)
    for (const name of ['external-a.data', 'external-b.data'])
      copyFileSync(testModel('external').replace('external.onnx', name), join(folder, name))
    write(model('m', path))
    await reload()
    const ask = async () => {
      const { body, headers } = await call(`${server.url}/predictions/m`, [1, 1])
      return { body, digest: headers.get('x-model-digest'), pids: await pidsOf(server) }
    }
    const before = await ask()
    await reload()
    expect(await ask()).toEqual(before)
    writeFileSync(join(folder, 'external-b.data'), Buffer.from(Float32Array.of(7, 8).buffer))
    await reload()
    const after = await ask()
    expect(after.body).toEqual({ predictions: [7, 16] })
    expect(after.digest).not.toBe(before.digest)
  })

  test('picks up a changed adapter module, with another digest', async () => {
    const { server, folder, write, reload } = await start(model('m', 'sum'))
    const adapter = (answer: string) =>
      writeFileSync(
        join(folder, 'adapter.mjs'),
        `export const toTensors = () => ({ a: { shape: [1, 2], data: [1, 2] }, b: { shape: [1, 2], data: [3, 4] } })
         export const toResponse = () => ({ answer: ${answer} })`,
      )
    adapter('1')
    write(model('m', 'sum', ', adapter: ./adapter.mjs'))
    await reload()
    const ask = async () => {
      const { body, headers } = await call(`${server.url}/predictions/m`, [])
      return { answer: body.answer as number, digest: headers.get('x-model-digest')! }
    }
    const before = await ask()
    await reload()
    expect(await ask()).toEqual(before)
    adapter('2')
    await reload()
    const after = await ask()
    expect([before.answer, after.answer]).toEqual([1, 2])
    expect(after.digest).toMatch(/^sha256:/)
    expect(new Set([before.digest, after.digest, digestOf('sum')]).size).toBe(3)
  })

  test('is needed for a changed adapter module to take effect, even if the module has crashed', async () => {
    const { server, folder, write, reload } = await start(model('m', 'sum'))
    const adapter = (answer: string) =>
      writeFileSync(
        join(folder, 'adapter.mjs'),
        `export const toTensors = ({ body }) => String(body) === 'end' ? process.exit(1)
           : { a: { shape: [1, 2], data: [1, 2] }, b: { shape: [1, 2], data: [3, 4] } }
         export const toResponse = () => ({ answer: ${answer} })`,
      )
    adapter('1')
    write(model('m', 'sum', ', adapter: ./adapter.mjs'))
    await reload()
    const ask = (body: string) => call(`${server.url}/predictions/m`, body)
    const digest = (await ask('')).headers.get('x-model-digest')
    adapter('2')
    expect((await ask('end')).status).toBe(500)
    const changed = await ask('')
    expect([changed.status, changed.body.message]).toEqual([
      500,
      expect.stringContaining('its files have changed since it was loaded; reload the server (SIGHUP) to serve them'),
    ])
    adapter('1')
    const back = await waitFor(
      'an answer 200',
      () => ask(''),
      ({ status }) => status === 200,
    )
    expect([back.body, back.headers.get('x-model-digest')]).toEqual([{ answer: 1 }, digest])
  })

  test('is refused as a whole if anything is wrong, and changes nothing', async () => {
    const { server, write, reload } = await start(`${model('sum', 'sum')}\n${model('slow', 'slow')}`)
    const before = await pidsOf(server)
    for (const wrong of [
      `${model('sum', 'sum', ', version: "9"')}\n${model('slow', '/nonexistent.onnx')}`,
      `${model('sum', 'sum', ', version: "9"')}\n    - { name: slow }`,
      model('sum', 'sum', ', instances: 1000'),
    ]) {
      write(wrong)
      await reload()
      expect(await pidsOf(server)).toEqual(before)
    }
    for (const fixed of [{ listen: '127.0.0.1:1' }, { watch: '2m' }, { bodiesMax: '2GiB' }]) {
      write(model('sum', 'sum', ', version: "9"'), fixed)
      await reload()
      expect(await pidsOf(server)).toEqual(before)
    }
    expect((await call(`${server.url}/v2/models/sum`)).headers.get('x-model-version')).toBe('1')
    expect(await reloads(server, 'refused')).toBe(6)
    expect(
      readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number).sort(),
    ).toEqual(Object.values(before).sort())
  })

  test('loses no request: earlier ones are answered by the version they were sent to, under its name', async () => {
    const { server, write, reload } = await start(model('slow', 'slow'))
    const { hostname, port } = new URL(server.url)
    const release = hold((await pidsOf(server)).slow!)
    const running = call(`${server.url}/predictions/slow`, [1])
    const queued = [1, 2, 3].map((rounds) => call(`${server.url}/predictions/slow`, [rounds]))
    // a client that has sent part of a request
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write('POST /predictions/slow HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n[')
    await waitFor(
      'three in the queue',
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes('queue_requests{model="slow"} 3'),
    )
    write(model('slow', 'slow', ', version: "2"'))
    await reload()
    const later = await call(`${server.url}/predictions/slow`, [7])
    expect([later.body.predictions, later.headers.get('x-model-version')]).toEqual([[7], '2'])
    socket.write('5]')
    release()
    await waitFor(
      'the answer',
      () => received,
      (text) => text.includes('predictions'),
    )
    expect(received).toMatch(/^HTTP\/1\.1 200 /)
    expect(received).toContain('{"predictions":[5]}')
    expect(received.toLowerCase()).toContain('x-model-version: 1')
    const answers = await Promise.all([running, ...queued])
    expect(answers.map(({ status, headers }) => [status, headers.get('x-model-version')])).toEqual(
      answers.map(() => [200, '1']),
    )
  })

  test('of a file that is being replaced is refused, or answers with the digest of what it loaded', async () => {
    const { server, reload, replace, expectItsOwnDigest } = await startReplaceable()
    const replacing = setInterval(replace, 20)
    onTestFinished(() => clearInterval(replacing))
    for (let version = 2; version < 7; version++) {
      await reload(version)
      await expectItsOwnDigest(server)
    }
  })

  test('of a file that is replaced between two instances is refused, or answers with the digest of both', async () => {
    const { server, reload, replace, expectItsOwnDigest } = await startReplaceable()
    const before = instancePids()
    const reloaded = reload(2)
    const [, late] = await waitFor(
      'two new processes',
      () => instancePids().filter((pid) => !before.includes(pid)),
      ({ length }) => length === 2,
    )
    process.kill(late!, 'SIGSTOP')
    // nothing tells when the other instance has loaded; on a slower machine both load the new file
    await sleep(1_000)
    replace()
    process.kill(late!, 'SIGCONT')
    await reloaded
    await expectItsOwnDigest(server)
  })

  test('under load answers every request with what its version would answer', async () => {
    const { server, folder, write, reload } = await start(model('m', 'external'))
    const path = join(folder, 'm.onnx')
    for (const name of ['external-a.data', 'external-b.data']) {
      copyFileSync(testModel('external').replace('external.onnx', name), join(folder, name))
    }
    copyFileSync(testModel('external'), path)
    write(model('m', path, ', version: "1"'))
    await reload()
    let stop = false
    const seen: Record<string, number> = {}
    const clients = Array.from({ length: 4 }, async () => {
      while (!stop) {
        const { status, headers, body } = await call(`${server.url}/predictions/m`, [1, 1])
        expect(status).toBe(200)
        const version = headers.get('x-model-version')!
        // the second constant is ten times larger in each version
        expect(body.predictions).toEqual([10 ** Number(version), 2 * 10 ** (Number(version) + 1)])
        seen[version] = (seen[version] ?? 0) + 1
      }
    })
    for (const version of [2, 3]) {
      const values = Float32Array.of(10 ** version, 10 ** (version + 1))
      writeFileSync(join(folder, 'external-b.data'), Buffer.from(values.buffer))
      write(model('m', path, `, version: "${version}"`))
      await reload()
      const so = seen[version] ?? 0
      await waitFor(
        `answers of version ${version}`,
        () => seen[version] ?? 0,
        (count) => count > so + 5,
      )
    }
    stop = true
    await Promise.all(clients)
    expect(Object.keys(seen)).toEqual(['1', '2', '3'])
  })
})

test('a server that is told to stop has as long as the current config says', async () => {
  const section = (drainTimeout: string) =>
    `candidateServer:\n  listen: 127.0.0.1:0\n  cpu: { instances: 1, threads: 1 }\n  limits: { drainTimeout: ${drainTimeout} }\n  models:\n${model('sum', 'sum')}\n`
  const { child, url, config } = await spawnServer(section('1s'))
  writeFileSync(config, section('7s'))
  const lines = createInterface({ input: child.stderr! })
  child.kill('SIGHUP')
  await waitFor(
    'the reload',
    () => reloads({ url }, 'applied'),
    (count) => count === 1,
  )
  child.kill('SIGTERM')
  const draining: unknown[] = []
  for await (const line of lines) {
    const { msg, deadlineMs } = JSON.parse(line)
    if (msg === 'draining') draining.push(deadlineMs)
  }
  expect(draining).toEqual([17_000])
})

test('a reload requested while the first models load follows them', async () => {
  const section = (version: string) =>
    `candidateServer:\n  listen: 127.0.0.1:0\n  cpu: { instances: 1, threads: 1 }\n  models:\n${model('sum', 'sum', `, version: "${version}"`)}\n`
  let isAsked = false
  const { url } = await spawnServer(section('1'), process.env, (child, config) => {
    if (isAsked) return
    isAsked = true
    writeFileSync(config, section('2'))
    child.kill('SIGHUP')
  })
  await waitFor(
    'version 2',
    () => call(`${url}/v2/models/sum`),
    ({ body }) => body.versions.includes('2'),
  )
})
