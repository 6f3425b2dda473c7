import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'

/** The connections that the system has made for a listening port and that nobody has accepted yet. */
function waitingAt(port: number): number {
  const at = port.toString(16).toUpperCase().padStart(4, '0')
  const listening = new RegExp(` 0100007F:${at} 00000000:0000 0A [0-9A-F]+:([0-9A-F]+)`)
  return Number.parseInt(listening.exec(readFileSync('/proc/net/tcp', 'utf8'))![1]!, 16)
}

const systemMax = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))

test.runIf(systemMax >= 1000)('a thousand clients that come while the mirror is busy are all taken', async () => {
  const mirror = await mirrorUnderTest({ primary: 'http://127.0.0.1:9' })
  const port = Number(new URL(mirror.url).port)
  const clients = Array.from({ length: 1000 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => {
    for (const client of clients) client.destroy()
  })
  // they connect at the end of this turn, before any is accepted
  const waiting = await new Promise<number>((resolve) => process.nextTick(() => resolve(waitingAt(port))))
  expect(waiting).toBe(1000)
  const all = /^understudy_mirror_client_connections 1000$/m
  await waitFor('all to be accepted', async () => all.test((await mirror.admin('/metrics')).text))
})
