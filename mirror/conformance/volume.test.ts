import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { spawnMirror } from '../testing/mirror-process.ts'
import { date, forwarders, head, host, ok } from './case.ts'
import { checkFlow, Flow } from './flow.ts'
import { rawClient, sendPieces } from './raw-client.ts'
import { early, probe, type RawPrimary, rawPrimary, reply } from './raw-primary.ts'

const mebibyte = 1024 * 1024
const bytes = (process.env.UNDERSTUDY_BIG === '1' ? 1024 : 256) * mebibyte
/**
 * Allows for socket buffers, captures up to `bodyMax`, and dead bodies, of which V8 lets some 64 MiB wait: 65 to 90
 * MiB, whether 512 MiB or 2 GiB pass.
 */
const growthMax = 160 * mebibyte
const deadlineMs = 150_000

const candidates = { 'to a candidate': answering('{}'), nowhere: undefined }
const ways = forwarders.flatMap((forwarder) =>
  Object.entries(candidates).map(([where, how]) => ({ forwarder, where, how })),
)

test.each(ways)(
  `${bytes / mebibyte} MiB each way pass whole and in constant memory through $forwarder, mirrored $where`,
  { timeout: deadlineMs },
  async ({ forwarder, how }) => {
    const candidate = how && (await fakeUpstream(how))
    const primary = await rawPrimary((request) => (request.startsWith('POST') ? early() : reply()))
    const { mirror, child } = await spawnMirror({
      primary: primary.url,
      forwarder,
      routes: candidate
        ? [{ path: '/p', methods: ['GET', 'POST'], candidates: [{ validation: 'v', url: candidate.url }] }]
        : [],
    })
    const warm = await rawClient(mirror.url)
    await sendPieces(warm, [probe])
    await waitFor('an answer', () => warm.received.endsWith('in step.'))
    const before = residentBytes(child.pid!)
    let most = before
    const watching = setInterval(() => {
      most = Math.max(most, residentBytes(child.pid!))
    }, 20)
    onTestFinished(() => clearInterval(watching))
    await Promise.all([upload(mirror.url, primary), download(mirror.url, primary)])
    expect(most - before).toBeLessThan(growthMax)
  },
)

async function upload(url: string, primary: RawPrimary): Promise<void> {
  const client = await rawClient(url)
  await sendPieces(client, [`${head('POST /p HTTP/1.1', host, `content-length: ${1 + bytes}`)}x`])
  const { socket } = await connectionWith(primary, /POST \/p [\s\S]*\r\n\r\nx$/)
  const check = checkFlow(socket)
  new Flow(client.socket, bytes)
  await waitFor('the whole request', () => check.good === bytes || check.isBroken, Boolean, deadlineMs)
  expect(check.isBroken).toBe(false)
  socket.write(ok())
  await waitFor('the answer', () => client.received.endsWith('\r\n\r\nok'))
}

async function download(url: string, primary: RawPrimary): Promise<void> {
  const client = await rawClient(url)
  const check = checkFlow(client.socket, 'behind a head')
  await sendPieces(client, [head('GET /p HTTP/1.1', host)])
  const { socket } = await connectionWith(primary, /GET \/p [\s\S]*\r\n\r\n$/)
  socket.write(head('HTTP/1.1 200 OK', date, `content-length: ${bytes}`))
  new Flow(socket, bytes)
  await waitFor('the whole response', () => check.good === bytes || check.isBroken, Boolean, deadlineMs)
  expect(check.isBroken).toBe(false)
}

const connectionWith = (primary: RawPrimary, received: RegExp) =>
  waitFor('a request', () => primary.connections.find((connection) => received.test(connection.received)))

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
