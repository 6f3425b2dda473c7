import { describe, expect, test } from 'vitest'
import { mirrorUnderTest } from '../testing/mirror-under-test.ts'
import { forwarders, head, ok } from './case.ts'
import { rawClient, received, sendPieces } from './raw-client.ts'
import { rawPrimary, reply } from './raw-primary.ts'

/** A client's head, the config's edits, and what the primary gets in place of, or in addition to, that head. */
const edits = {
  'by default': {
    headers: {},
    sends: ['Host: models.example', 'x-a: 1'],
    arrives: [
      'Host: models.example',
      'x-a: 1',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: models.example',
    ],
  },
  'behind another proxy': {
    headers: {},
    sends: [
      'host: models.example',
      'x-forwarded-for: 192.0.2.1',
      'X-Forwarded-Proto: https',
      'x-forwarded-host: shop.example',
    ],
    arrives: [
      'host: models.example',
      'x-forwarded-for: 192.0.2.1, 127.0.0.1',
      'X-Forwarded-Proto: https',
      'x-forwarded-host: shop.example',
    ],
  },
  'behind two, each with a line of its own': {
    headers: {},
    sends: [
      'host: a.example',
      'X-Forwarded-For: 192.0.2.1',
      'X-Forwarded-For: 192.0.2.2',
      'x-forwarded-proto: https',
      'x-forwarded-host: b.example',
    ],
    arrives: [
      'host: a.example',
      'X-Forwarded-For: 192.0.2.1',
      'X-Forwarded-For: 192.0.2.2, 127.0.0.1',
      'x-forwarded-proto: https',
      'x-forwarded-host: b.example',
    ],
  },
  'with Forwarded and Via': {
    headers: { xForwarded: false, forwarded: true, via: true },
    sends: ['host: models.example:8080', 'via: 1.0 front'],
    arrives: [
      'host: models.example:8080',
      'via: 1.0 front, 1.1 understudy',
      'Forwarded: for=127.0.0.1;proto=http;host="models.example:8080"',
    ],
  },
  'with a Forwarded there already': {
    headers: { xForwarded: false, forwarded: true },
    sends: ['host: models.example', 'forwarded: for=192.0.2.1;proto=https'],
    arrives: [
      'host: models.example',
      'forwarded: for=192.0.2.1;proto=https, for=127.0.0.1;proto=http;host="models.example"',
    ],
  },
  'with the host rewritten': {
    headers: { host: 'rewrite' },
    sends: ['x-a: 1', 'host: models.example'],
    arrives: [
      'Host: PRIMARY',
      'x-a: 1',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: models.example',
    ],
  },
  'with some set and some removed': {
    headers: { xForwarded: false, set: { 'X-Env': 'live', 'X-Both': 'ours' }, remove: ['x-secret', 'X-Absent'] },
    sends: ['host: models.example', 'X-Secret: 1', 'x-both: theirs', 'x-secret: 2', 'x-stays: 1'],
    arrives: ['host: models.example', 'x-stays: 1', 'X-Env: live', 'X-Both: ours'],
  },
  'to a server that reads _ as -': {
    headers: { set: { 'X-Both': 'ours' }, remove: ['x-user', 'x_group'] },
    sends: [
      'host: models.example',
      ...['X_Both: theirs', 'X_User: root', 'x-group: admins', 'X_Forwarded-For: 192.0.2.1'],
      'X_Forwarded_Port: 81',
      ...[
        'X_Understudy_Shadow: 1',
        'x-understudy_observation: forged',
        'Transfer_Encoding: chunked',
        'Content_Length: 9',
      ],
      'x_stays: 1',
    ],
    arrives: [
      'host: models.example',
      'x_stays: 1',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: models.example',
      'X-Both: ours',
    ],
  },
}

describe.each(forwarders)('through %s, what the primary gets', (forwarder) => {
  test.each(Object.entries(edits))('%s', async (_, { headers, sends, arrives }) => {
    const primary = await rawPrimary([reply(ok())])
    const mirror = await mirrorUnderTest({ primary: primary.url, forwarder, headers })
    const client = await rawClient(mirror.url)
    await sendPieces(client, [head('GET /p HTTP/1.1', ...sends)])
    await received(client, (bytes) => bytes.endsWith('ok'))
    const lines = primary.requests[0]!.slice(0, -4).split('\r\n').slice(1)
    const expected = arrives.map((line) => line.replace('PRIMARY', new URL(primary.url).host))
    if (forwarder === 'wire') expect(lines).toEqual(expected)
    // Node puts its own line first and groups lines of one name
    else expect(lines.sort()).toEqual(['connection: keep-alive', ...expected].sort())
  })
})
