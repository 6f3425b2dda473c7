import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering, fakeUpstream, hanging, readAll } from '../testing/fake-upstream.ts'
import { rawUpstream } from '../testing/raw-upstream.ts'
import { ConnectionPool } from './connection-pool.ts'
import { sendWhole, type WholeRequest } from './send-whole.ts'
import { parseTarget } from './target.ts'

const MiB = 1024 * 1024

function asking(url: string) {
  const pool = new ConnectionPool(parseTarget(url))
  onTestFinished(() => pool.close())
  const fields = [{ name: 'host', value: 'x', line: 'Host: x' }]
  const request = { method: 'POST', path: '/p', fields, body: [], withinMs: 20_000 } as const
  return (differently: Partial<WholeRequest> = {}) => sendWhole(pool, { ...request, ...differently })
}

test('a body in many pieces, short and long, arrives intact over one connection', async () => {
  const digests: string[] = []
  const ports = new Set<number>()
  const upstream = await fakeUpstream(async (request, response) => {
    ports.add(request.socket.remotePort!)
    digests.push(
      createHash('sha256')
        .update(await readAll(request))
        .digest('hex'),
    )
    response.end('{}')
  })
  const send = asking(upstream.url)
  const bodies = [
    [0],
    [1, 0, 2],
    [64 * 1024],
    [64 * 1024 - 1, 1, 1],
    Array.from({ length: 3000 }, (_, i) => i % 97),
    [3, 5 * MiB, 7, MiB],
  ].map((lengths) => lengths.map((length) => randomBytes(length)))
  for (const body of bodies) expect(await send({ body })).toMatchObject({ status: 200, body: '{}' })
  expect(digests).toEqual(bodies.map((body) => createHash('sha256').update(Buffer.concat(body)).digest('hex')))
  expect(ports.size).toBe(1)
})

test('a long body is sent 64 KiB per turn of the event loop, so that live requests are served in between', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  onTestFinished(() => clearImmediate(next))
  let turnsUntilRead = Number.NaN
  upstream.server.on('request', (request) =>
    request.once('end', () => {
      turnsUntilRead = turns
    }),
  )
  await asking(upstream.url)({ body: [randomBytes(8 * MiB)] })
  expect(turnsUntilRead).toBeGreaterThanOrEqual(127)
})

test('an answer before the body is fully sent is accepted, and the rest is not sent', async () => {
  const received: number[] = []
  const upstream = await fakeUpstream(({ socket }, response) => {
    socket.once('close', () => received.push(socket.bytesRead))
    response.writeHead(413).end('no!')
  })
  const send = asking(upstream.url)
  for (let i = 0; i < 2; i++) {
    expect(await send({ body: [randomBytes(8 * MiB)] })).toMatchObject({ status: 413, body: 'no!' })
  }
  await waitFor('the ends of both connections', () => received.length === 2)
  expect(Math.max(...received)).toBeLessThan(8 * MiB)
})

test('a late, endless or invalid answer and an absent server each reject with what happened', async () => {
  const silent = asking((await fakeUpstream(hanging)).url)
  await expect(silent({ withinMs: 50 })).rejects.toThrow('no answer in time')
  const endless = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1000000\r\n'
  const long = asking((await rawUpstream(() => `${endless}${'x'.repeat(16 * MiB)}\r\n5\r\nyyyyy\r\n`, true)).url)
  await expect(long()).rejects.toThrow('more than 16777216 bytes')
  const other = asking((await rawUpstream(() => 'SSH-2.0-OpenSSH\r\n\r\n', true)).url)
  await expect(other()).rejects.toThrow('no status line')
  const nobody = asking('http://127.0.0.1:1')
  await expect(nobody()).rejects.toThrow('ECONNREFUSED')
})

test('an abandoned request ends at once, and its connection is destroyed', async () => {
  const upstream = await fakeUpstream(hanging)
  const send = asking(upstream.url)
  const controller = new AbortController()
  const answer = send({ signal: controller.signal })
  await waitFor('the request', () => upstream.heads.length === 1)
  controller.abort()
  await expect(answer).rejects.toThrow('abandoned')
  await expect(send({ signal: controller.signal })).rejects.toThrow('abandoned')
  const connections = () =>
    new Promise<number>((resolve) => upstream.server.getConnections((_, count) => resolve(count)))
  await waitFor('no connection', async () => (await connections()) === 0)
  expect(upstream.heads).toHaveLength(1)
})
