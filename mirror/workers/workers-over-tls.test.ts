import { once } from 'node:events'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { ask, http2Client } from '../testing/http2-client.ts'
import { spawnMirror } from '../testing/mirror-process.ts'
import { route, tempDir } from '../testing/mirror-under-test.ts'
import { caPem, localhost, renewed } from '../testing/tls/files.ts'

/** The serial number of the certificate that a worker shows, and its answer. */
async function askOverTls(port: number): Promise<{ serial: string; answer: string }> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: caPem, ALPNProtocols: ['http/1.1'] })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  const serial = socket.getPeerCertificate().serialNumber
  socket.write('POST /p HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
  let answer = ''
  for await (const piece of socket) answer += piece
  return { serial, answer }
}

test('workers share a port over TLS, with HTTP/2, and take a renewed certificate without a restart', async () => {
  const primary = await fakeUpstream(answering('{"ok":true}'))
  const candidate = await fakeUpstream(answering('{}'))
  const comparator = await fakeComparator()
  const section = (tls: object) => ({
    workers: 2,
    tls,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'v', url: candidate.url }),
    spool: { dir },
  })
  const dir = tempDir()
  const { mirror, child, configure, logged } = await spawnMirror(section(localhost))
  const port = Number(new URL(mirror.url).port)
  const first = await Promise.all(Array.from({ length: 10 }, () => askOverTls(port)))
  expect(new Set(first.map(({ answer }) => answer.split('\r\n')[0]))).toEqual(new Set(['HTTP/1.1 200 OK']))
  const session = await http2Client(mirror.url)
  for (let i = 0; i < 10; i++) expect((await ask(session, { ':method': 'POST', ':path': '/p' }, '{}')).status).toBe(200)
  await waitFor('all of them at the comparator', () => comparator.observations.size === 20)
  expect((await mirror.ledger()).v).toEqual({ seen: 20, delivered: 20, pending: 0, skipped: {} })

  configure(section(renewed))
  child.kill('SIGHUP')
  await waitFor('the reload', () => logged('the config was reloaded and is in force').length === 1)
  const [before] = new Set(first.map(({ serial }) => serial))
  await waitFor('both workers to show the new one', async () => {
    const shown = await Promise.all(Array.from({ length: 10 }, () => askOverTls(port)))
    return shown.every(({ serial }) => serial !== before)
  })
  expect((await ask(session, { ':method': 'POST', ':path': '/p' }, '{}')).status).toBe(200)
})
