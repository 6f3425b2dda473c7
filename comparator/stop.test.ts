import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { regression, startTestComparator } from '../test/support/comparator.ts'

test('a stopping comparator still answers clients that have connected but were not accepted yet', async () => {
  const comparator = await startTestComparator([regression])
  const clients = Array.from({ length: 20 }, () => connect(Number(new URL(comparator.url).port), '127.0.0.1'))
  for (const client of clients) client.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.all(clients.map((client) => once(client, 'connect')))
  const closed = comparator.close()
  for (const answer of await Promise.allSettled(clients.map((client) => text(client)))) {
    expect(answer).toMatchObject({ status: 'fulfilled', value: expect.stringMatching(/^HTTP\/1\.1 200 /) })
  }
  await closed
})
