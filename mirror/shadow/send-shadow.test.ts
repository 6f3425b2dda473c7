import { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { BodyCapture } from '../capture/body-capture.ts'
import { ByteBudget } from '../capture/byte-budget.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { rawUpstream } from '../testing/raw-upstream.ts'
import { ConnectionPool } from '../upstream/connection-pool.ts'
import { parseTarget } from '../upstream/target.ts'
import { UpstreamConnection } from '../upstream/upstream-connection.ts'
import { sendShadow } from './send-shadow.ts'

const MiB = 1024 * 1024

function outcomeOver(connections: Pick<ConnectionPool, 'take'>): Promise<LegOutcome> {
  const request = { method: 'GET', path: '/', fields: [], body: Buffer.alloc(0) }
  const limits = { deadlineMs: 60_000, responseBytesMax: 4 * MiB }
  const options = { ...limits, budget: new ByteBudget(4 * MiB), clock: systemClock }
  return new Promise((resolve) => sendShadow(connections, request, options, resolve))
}

/** The bytes as they come, and their data. */
const inOne = { body: 'x'.repeat(2 * MiB), bytes: 2 * MiB, framing: `content-length: ${2 * MiB}` }
const oneByOne = {
  body: `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`,
  bytes: 60_000,
  framing: 'transfer-encoding: chunked',
}

test.each([
  ['', inOne],
  [' in tiny chunks', oneByOne],
])(
  'a long answer%s that has fully arrived is read over many turns of the event loop, so that live requests are served',
  async (_, answer) => {
    const { body, bytes, framing } = answer
    const upstream = await rawUpstream(() => `HTTP/1.1 200 OK\r\n${framing}\r\n\r\n${body}`, true)
    const pool = new ConnectionPool(parseTarget(upstream.url), 'copies')
    const bytesOfTurns = [0]
    let next = setImmediate(function turn() {
      bytesOfTurns.push(0)
      next = setImmediate(turn)
    })
    const keep = BodyCapture.prototype.add
    const add = vi.spyOn(BodyCapture.prototype, 'add').mockImplementation(function (this: BodyCapture, chunk) {
      bytesOfTurns[bytesOfTurns.length - 1]! += chunk.length
      return keep.call(this, chunk)
    })
    onTestFinished(() => {
      clearImmediate(next)
      add.mockRestore()
      pool.close()
    })
    const outcome = await outcomeOver(pool)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: { bytes } })
    expect(Math.max(...bytesOfTurns) / bytes).toBeLessThanOrEqual((128 * 1024) / body.length)
  },
)

test.each([
  ['EMFILE', 'shed'],
  ['ECONNREFUSED', 'refused'],
])('a copy that cannot be connected because of %s ends as %s', async (code, kind) => {
  const socket = new Socket()
  socket.destroy(Object.assign(new Error(`connect ${code}`), { code }))
  const connection = new UpstreamConnection(
    socket,
    () => {},
    () => {},
  )
  expect(await outcomeOver({ take: () => connection })).toMatchObject({ kind })
})
