import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { ask, http2Client } from '../testing/http2-client.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

test.skipIf(!hasIpv6).each(['wire', 'http-proxy-3'])(
  'over %s an IPv4 client of a mirror on [::] is named by its address',
  async (forwarder) => {
    const primary = await fakeUpstream(answering('{}'))
    const headers = { forwarded: true }
    const mirror = await mirrorUnderTest({ forwarder, listen: '[::]:0', headers, primary: primary.url })
    const url = `http://127.0.0.1:${new URL(mirror.url).port}`
    await send(`${url}/x`)
    await ask(await http2Client(url), { ':path': '/x' })
    await send(`http://[::1]:${new URL(mirror.url).port}/x`)
    const named = primary.heads.map(({ headers }) => [
      headers['x-forwarded-for'],
      /for=[^;]+/.exec(headers.forwarded!)![0],
    ])
    expect(named).toEqual([
      ['127.0.0.1', 'for=127.0.0.1'],
      ['127.0.0.1', 'for=127.0.0.1'],
      ['::1', 'for="[::1]"'],
    ])
  },
)
