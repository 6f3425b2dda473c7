import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { ended, runCommand, startCommand } from './support/command.ts'
import {
  classification,
  observation,
  regression,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'
import { createEmptyDatabase, createTestDatabase } from './support/database.ts'
import { temporaryDirectory } from './support/services.ts'

const directory = temporaryDirectory()
afterAll(directory.remove)
const { fileWith } = directory

/** A database that is deleted after the test. */
async function databaseFor(create: typeof createTestDatabase): Promise<string> {
  const { url, drop } = await create()
  onTestFinished(drop)
  return url
}

/** The address of a server that is no comparator; it ends with the test. */
async function answering(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('understudy migrate', () => {
  // processes that each open an embedded database take seconds of WebAssembly
  test('applies the migrations and lists them', async () => {
    const file = fileWith('migrate.yaml', `comparator: { database: "${await databaseFor(createEmptyDatabase)}" }`)
    const before = JSON.parse((await runCommand(['migrate', '--config', file, '--status', '--json'])).stdout)
    expect(before.migrations.every(({ appliedAt }: { appliedAt: unknown }) => appliedAt === null)).toBe(true)
    const { applied } = JSON.parse((await runCommand(['migrate', '--config', file, '--json'])).stdout)
    expect(applied).toEqual(before.migrations.map(({ name }: { name: string }) => name))
    expect(JSON.parse((await runCommand(['migrate', '--config', file, '--json'])).stdout).applied).toEqual([])
    expect((await runCommand(['migrate', '--config', file])).stdout).toMatch(/\nno migration was missing\n$/)
  })
})

describe('understudy gate, promote and rollback', () => {
  let comparator: TestComparator
  beforeAll(async () => {
    const apart = { ...classification, name: 'apart', requesterApproves: false }
    const output = { ...classification.output, primary: { scores: '/predictions' }, candidate: { scores: '/scores' } }
    const other = { ...classification, name: 'other', output }
    const all = [...['good', 'bad', 'none'].map((name) => ({ ...classification, name })), apart, other]
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

  test('a server that is not a comparator, as behind the mirror, gives no verdict either', async () => {
    const server = await answering((_, response) => void response.end('{"ok":true}'))
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

  test('nor does one with a verdict that this version does not know', async () => {
    const server = await answering((_, response) => {
      response.end(JSON.stringify({ verdict: 'deferred', reason: '', checks: [] }))
    })
    expect(await runCommand(['gate', 'good', '--server', server, '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: 'expected one of the verdicts pass, fail, inconclusive; got "deferred"\n',
    })
  })

  test('nor does an answer that the command cannot print', async () => {
    const server = await answering((_, response) => {
      response.end(JSON.stringify({ verdict: 'pass', reason: '', checks: [null] }))
    })
    expect(await runCommand(['gate', 'good', '--server', server, '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^understudy: /),
    })
  })

  test('nor does a redirect, such as from http to https', async () => {
    const server = await answering((request, response) => {
      response.writeHead(301, { location: `https://understudy.example${request.url}` }).end()
    })
    expect(await runCommand(['gate', 'good', '--server', server, '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: `${server} redirects to https://understudy.example/v1/validations/good/gate: give the address that answers as --server\n`,
    })
  })

  test('nor does a truncated answer', async () => {
    const server = await answering((_, response) => {
      response.write('{"verdict":', () => response.destroy())
    })
    expect(await runCommand(['gate', 'good', '--server', server, '--token', 'x'])).toMatchObject({
      status: 2,
      stderr: `${server} does not answer: other side closed\n`,
    })
  })

  test('nothing in an answer can control the terminal that it is printed on', async () => {
    const [code, verdict, checks] = ['GATE_STALE', 'fail', []]
    const gate = { verdict, reason: 'version 3\u009b2J\u001b[2Jpass', checks }
    const answers = [gate, gate, { code, message: 'the candidate is now version 3\u009b2J\u001b[2J (was 2)' }]
    const server = await answering((_, response) => {
      const answer = answers.shift()!
      response.writeHead('code' in answer ? 409 : 200).end(JSON.stringify(answer))
    })
    const run = (...more: string[]) => runCommand(['gate', 'good', '--server', server, '--token', 'x', ...more])
    expect((await run()).stdout).toBe('good: fail. version 3\\u009b2J\\u001b[2Jpass\n\n')
    const { stdout } = await run('--json')
    expect(stdout).toContain('version 3\\u009b2J\\u001b[2Jpass')
    expect(JSON.parse(stdout)).toEqual(gate)
    expect((await run()).stderr).toContain('the candidate is now version 3\\u009b2J\\u001b[2J (was 2)')
  })

  test('an address without a scheme is an invalid option, not an unreachable server', async () => {
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

  test('a token that cannot be a header value is reported as such, and not printed', async () => {
    for (const token of ['two\nsecret', 'secret…']) {
      expect(await runCommand(['gate', 'good', '--server', comparator.url, '--token', token])).toMatchObject({
        status: 2,
        stderr: 'expected a token of printable ASCII, without spaces or line breaks\n',
      })
    }
    expect(await run('gate', 'good', '--token', `${tokens.viewer}\n`)).toMatchObject({ status: 0 })
  })

  test('the options of --replay alone do not judge the whole window', async () => {
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
    // an unset variable of a script must not mean all evaluations
    expect(await run('gate', 'good', '--replay', '--since', '')).toMatchObject({ status: 2, stdout: '' })
  })

  test('a promoter is told where clients would get answers in another form', async () => {
    expect((await run('promote', 'other', '--comment', 'please')).stderr).toMatch(
      /^Clients would get .*scores at \/scores, where the primary has it at \/predictions\.\nGATE_NOT_PASSED/,
    )
    expect((await run('promote', 'bad', '--comment', 'please')).stderr).toMatch(/^GATE_NOT_PASSED/)
  })

  test('a promotion is made, and rolled back', async () => {
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

  test('one against the gate is requested with --override, and approved with it', async () => {
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
  /** A comparator in a separate process, once it is ready. */
  async function startComparator(database: string, env: Record<string, string> = {}, validations: object[] = []) {
    const port = await freePorts(1)
    const section = { listen: `127.0.0.1:${port}`, database, validations }
    const file = fileWith(`${port}.yaml`, JSON.stringify({ comparator: section }))
    const child = startCommand(['comparator', '--config', file], env)
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended(child)
    })
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitFor('the comparator to be ready', ready)
    return { child, file, ready }
  }

  test('says once where it listens, drains on SIGTERM and exits with 0', async () => {
    const { child } = await startComparator(await databaseFor(createTestDatabase), { LOG_LEVEL: 'info' })
    let log = ''
    child.stderr!.on('data', (chunk) => (log += chunk))
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(log.match(/http:\/\/127\.0\.0\.1:/g)).toHaveLength(1)
  })

  test.skipIf(!process.env.DATABASE_URL)('drains on a SIGTERM as soon as it listens', async () => {
    const database = await databaseFor(createTestDatabase)
    const holder = new pg.Client({ connectionString: database })
    await holder.connect()
    onTestFinished(() => holder.end())
    // holds up what follows the listening: the renewal of the policies
    await holder.query(`insert into validation (name, policy, policy_digest) values ('price', '{}', '')`)
    await holder.query(`begin; select from validation for update`)
    const { child } = await startComparator(database, { LOG_LEVEL: 'info' }, [regression])
    const draining = new Promise<void>((resolve) => {
      child.stderr!.on('data', (chunk) => String(chunk).includes('draining') && resolve())
    })
    child.kill('SIGTERM')
    await Promise.race([draining, ended(child)])
    await holder.query('commit')
    expect(await ended(child)).toBe(0)
  })

  test('a comparator survives SIGHUP, and says that it reads its config only at the start', async () => {
    const database = await databaseFor(createTestDatabase)
    const { child, ready } = await startComparator(database, { LOG_LEVEL: 'warn' })
    let log = ''
    child.stderr!.on('data', (chunk) => (log += chunk))
    child.kill('SIGHUP')
    await waitFor(
      'the restart to be asked for, or the end',
      () => log.includes('restart to apply') || child.signalCode !== null,
    )
    expect(log).toContain('restart to apply a config change')
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
      comparator: `comparator: { listen: "${taken}", database: "${await databaseFor(createTestDatabase)}" }`,
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

  test.skipIf(process.env.DATABASE_URL)('says that its embedded database is in use', async () => {
    const { child, file } = await startComparator(await databaseFor(createTestDatabase))
    const second = await runCommand(['comparator', '--config', file])
    expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining(`in use by process ${child.pid}`) })
  })
})
