import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { forwarders, head, host } from '../conformance/case.ts'
import { rawClient, sendPieces } from '../conformance/raw-client.ts'
import { fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'

const table = '/proc/net/tcp'
const established = '01'
/** Neither retransmission nor waiting to close: only keep-alive probes, once nothing else is due. */
const probing = '02'

interface Row {
  local: number
  remote: number
  timer: string
  /** When the timer is due. */
  inMs: number
}

function connections(): Row[] {
  const rows = readFileSync(table, 'utf8').trim().split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns[3] === established)
    .map(([, local, remote, , , timer]) => {
      const port = (address: string) => Number.parseInt(address.split(':')[1]!, 16)
      const [kind, hundredths] = timer!.split(':')
      return { local: port(local!), remote: port(remote!), timer: kind!, inMs: Number.parseInt(hundredths!, 16) * 10 }
    })
}

const requests = [
  ['a request', head('GET /p HTTP/1.1', host)],
  ['a WebSocket', head('GET /p HTTP/1.1', host, 'Upgrade: websocket', 'Connection: Upgrade')],
] as const
const cases = forwarders.flatMap((forwarder) => requests.map(([what, text]) => [what, forwarder, text] as const))

test.skipIf(!existsSync(table)).each(cases)(
  'both sides of %s through %s are probed while nothing passes',
  async (_what, forwarder, text) => {
    const primary = await fakeUpstream(hanging)
    let switched = 0
    primary.server.on('upgrade', (_request, socket) => {
      onTestFinished(() => void socket.destroy())
      switched++
      socket.write(head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'))
    })
    const mirror = await mirrorUnderTest({ primary: primary.url, forwarder })
    const { port } = new URL(mirror.url)
    const idle = connect({ host: '127.0.0.1', port: Number(port) })
    onTestFinished(() => void idle.destroy())
    const client = await rawClient(mirror.url)
    await sendPieces(client, [text])
    await waitFor('the request', () => primary.heads.length + switched === 1)
    const rows = () => {
      const all = connections()
      const fromClients = all.filter(({ local }) => local === Number(port))
      const toPrimary = all.filter(({ remote }) => remote === primary.port)
      return [...fromClients, ...toPrimary]
    }
    const areProbed = () => rows().every(({ timer, inMs }) => timer === probing && inMs <= 10_000)
    await waitFor('probes to be due', () => rows().length === 3 && areProbed())
  },
)
