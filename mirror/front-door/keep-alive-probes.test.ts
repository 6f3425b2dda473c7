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
}

function connections(): Row[] {
  const rows = readFileSync(table, 'utf8').trim().split('\n').slice(1)
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns[3] === established)
    .map(([, local, remote, , , timer]) => {
      const port = (address: string) => Number.parseInt(address.split(':')[1]!, 16)
      return { local: port(local!), remote: port(remote!), timer: timer!.split(':')[0]! }
    })
}

test.skipIf(!existsSync(table)).each(forwarders)(
  'both sides of a request through %s are probed while nothing passes',
  async (forwarder) => {
    const primary = await fakeUpstream(hanging)
    const mirror = await mirrorUnderTest({ primary: primary.url, forwarder })
    const { port } = new URL(mirror.url)
    const idle = connect({ host: '127.0.0.1', port: Number(port) })
    onTestFinished(() => void idle.destroy())
    const client = await rawClient(mirror.url)
    await sendPieces(client, [head('GET /p HTTP/1.1', host)])
    await waitFor('the request', () => primary.heads.length === 1)
    const timers = () => {
      const all = connections()
      const fromClients = all.filter(({ local }) => local === Number(port))
      const toPrimary = all.filter(({ remote }) => remote === primary.port)
      return [...fromClients, ...toPrimary].map(({ timer }) => timer)
    }
    await waitFor('probes to be due', () => timers().length === 3 && timers().every((timer) => timer === probing))
  },
)
