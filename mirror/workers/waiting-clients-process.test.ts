import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { holdBack } from '../testing/held-back.ts'
import { launchMirror, type MirrorProcess, spawnMirror } from '../testing/mirror-process.ts'
import { send, tempDir } from '../testing/mirror-under-test.ts'
import { pidsOf, untilReplaced } from '../testing/workers.ts'

async function twoWorkers(more: Record<string, unknown> = {}): Promise<MirrorProcess> {
  const primary = await fakeUpstream(answering('{}'))
  return spawnMirror({ workers: 2, primary: primary.url, spool: { dir: tempDir() }, ...more })
}

/** One line for each start of a worker so far that has got as far as its spool. */
const workersStarting = ({ logged }: Pick<MirrorProcess, 'logged'>) =>
  logged('opening the spool; the start waits for its disk').filter(({ worker }) => worker !== undefined)

const notArrived = 'a connection did not reach a worker, which may be at its limit of open files; handing it over again'

const portOf = ({ mirror }: MirrorProcess) => Number(new URL(mirror.url).port)

/** The statuses of `count` requests at once, each on a connection of its own. */
const ask = ({ mirror }: MirrorProcess, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      send(`${mirror.url}/x`, { body: '{}' }).then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code,
      ),
    ),
  )

const metricOf = async ({ mirror }: MirrorProcess, metric: string) => {
  const { text } = await mirror.admin('/metrics')
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${metric} `))
      ?.slice(metric.length),
  )
}

test('clients that come before a worker is up are answered by the first', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const port = await freePorts(2)
  const dir = tempDir()
  mkdirSync(join(dir, 'worker-1'))
  // each reads the last known routing before it serves; the supervisor does before it starts them
  const giveRouting = [dir, join(dir, 'worker-1')].map((of) => holdBack(join(of, 'routing.json')))
  const launched = launchMirror({
    ...{ listen: `127.0.0.1:${port}`, admin: `127.0.0.1:${port + 1}` },
    workers: 2,
    primary: primary.url,
    comparator: { url: 'http://127.0.0.1:9', token: 't' },
    spool: { dir },
  })
  await giveRouting[0]!()
  await waitFor('both to start', () => workersStarting(launched).length === 2)
  const answer = send(`http://127.0.0.1:${port}/x`)
  const first = Promise.race([answer, fetch(`http://127.0.0.1:${port + 1}/readyz`)])
  expect(await first).toMatchObject({ status: 503 })
  await giveRouting[0]!()
  expect((await answer).status).toBe(200)
  await giveRouting[1]!()
})

test('clients that come while no worker is left wait for the first to return, and the port stays ours', async () => {
  const dir = tempDir()
  const running = await twoWorkers({ comparator: { url: 'http://127.0.0.1:9', token: 't' }, spool: { dir } })
  // each successor reads the last known routing before it serves
  const giveRouting = [dir, join(dir, 'worker-1')].map((of) => holdBack(join(of, 'routing.json')))
  for (const pid of pidsOf(running)) process.kill(pid, 'SIGKILL')
  // the clients come once these run: a busy machine may take longer to start them than clients wait
  await waitFor('their successors to start', () => workersStarting(running).length === 4)
  const answers = ask(running, 20)
  const other = createServer()
  onTestFinished(() => void other.close())
  other.listen(portOf(running), '127.0.0.1')
  const [refusal] = await Promise.race([once(other, 'error'), once(other, 'listening')]).catch((error) => [error])
  expect(refusal).toMatchObject({ code: 'EADDRINUSE' })
  await giveRouting[0]!()
  expect(await answers).toEqual(Array(20).fill(200))
  await giveRouting[1]!()
  await untilReplaced(running, 2)
  // a worker that a busy machine keeps from answering within a second does not count as ready
  await waitFor('both to be ready', async () => (await running.mirror.admin('/readyz')).status === 200)
})

test('a connection that a worker without free files did not get is given again, and so are later ones', async () => {
  const running = await twoWorkers()
  const pids = pidsOf(running)
  const filesMax = (pid: number, files: number) =>
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:20000`])
  filesMax(pids[0]!, 3)
  expect(await ask(running, 10)).toEqual(Array(10).fill(200))

  filesMax(pids[1]!, 3)
  const answers = ask(running, 10)
  const lost = () => new Set(running.logged(notArrived).map(({ worker }) => worker))
  await waitFor('both to have got none', () => lost().size === 2)
  for (const pid of pids) filesMax(pid, 20_000)
  expect(await answers).toEqual(Array(10).fill(200))
})

test('more clients than may wait for a worker are turned away, and none waits for ever', async () => {
  const running = await twoWorkers()
  const pids = pidsOf(running)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  const isOpen = new Set<Socket>()
  const sockets = Array.from({ length: 2100 }, () => {
    const socket = connect(portOf(running), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    isOpen.add(socket)
    socket.once('close', () => isOpen.delete(socket))
    socket.resume()
    // with SYN cookies the kernel forgets a client whose ACK met a full queue, until it sends something
    socket.write('G')
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await waitFor('those beyond the limit to be turned away', () => isOpen.size === 2048)
  expect(await metricOf(running, 'understudy_mirror_unserved_total{reason="full"}')).toBe(52)
  expect(await metricOf(running, 'understudy_mirror_waiting_clients')).toBe(2046)
  // one is with each worker
  await waitFor('the others to be let go', () => isOpen.size === 2)
  expect(await metricOf(running, 'understudy_mirror_unserved_total{reason="late"}')).toBe(2046)
  for (const pid of pids) process.kill(pid, 'SIGCONT')
  expect(await ask(running, 10)).toEqual(Array(10).fill(200))
})
