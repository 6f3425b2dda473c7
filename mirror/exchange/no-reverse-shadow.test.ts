import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { answering } from '../testing/fake-upstream.ts'
import { promoted } from '../testing/promoted.ts'

test('without a reverse shadow a live request is no evidence, whoever answers it and when', async () => {
  const { mirror, understudy } = await promoted(
    (incoming, response) => {
      const asked = understudy.heads.length
      if (asked === 1) answering('candidate')(incoming, response)
      // before the request is complete
      else if (asked === 2) response.writeHead(503).end('full')
      else incoming.socket.destroy()
    },
    {},
    { breaker: { failures: 2, cooldown: '10m' } },
    { reverseShadow: false },
  )
  const isPassedOn = async () => (await mirror.admin('/metrics')).text.includes('passed_on_total{validation="v"')
  const answeredBy: unknown[] = []
  for (let i = 1; i <= 4; i++) {
    const upload = request(`${mirror.url}/p`, { method: 'POST' })
    const answered = once(upload, 'response')
    upload.write('{')
    if (i === 2) await waitFor('the candidate to refuse it', isPassedOn)
    upload.end('}')
    const [response] = (await answered) as [IncomingMessage]
    answeredBy.push(response.headers['x-understudy-answered-by'])
    response.resume()
  }
  expect(answeredBy).toEqual([undefined, 'primary', 'primary', undefined])
  // the last one without asking the candidate
  expect(understudy.heads.length).toBe(3)
  expect(await mirror.settled('v', 4)).toMatchObject({ delivered: 0, skipped: { notSampled: 4 } })
})
