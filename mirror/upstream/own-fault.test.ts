import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { BodyCapture } from '../capture/body-capture.ts'
import { ByteBudget } from '../capture/byte-budget.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { OwnFault } from './connection-failure.ts'
import { ConnectionPool } from './connection-pool.ts'
import { parseTarget } from './target.ts'
import type { ResponseSink } from './upstream-connection.ts'

test('an error in the reader of an answer ends that connection alone, and is reported', async () => {
  const upstream = await fakeUpstream(answering('hello'))
  const pool = new ConnectionPool(parseTarget(upstream.url))
  const failures: Error[] = []
  let ended = 0
  const ask = (data: () => void) => {
    const sink: ResponseSink = {
      interim() {},
      head() {},
      data,
      raw() {},
      flush() {},
      drained() {},
      end: () => void ended++,
      failed: (error) => void failures.push(error),
    }
    const connection = pool.fresh()
    connection.begin('GET', sink)
    connection.sendHead('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    connection.requestSent()
  }
  const fault = new RangeError('Array buffer allocation failed')
  ask(() => {
    throw fault
  })
  ask(() => {})
  await waitFor('both ends', () => failures.length === 1 && ended === 1)
  expect(failures[0]).toBeInstanceOf(OwnFault)
  expect(failures[0]!.cause).toBe(fault)
  pool.close()
})

test('a body that memory has no room for is shed, and releases what it held', () => {
  const budget = new ByteBudget(100)
  const body = new BodyCapture(budget, 50)
  body.add(Buffer.from('first'))
  const unkept = Object.defineProperty(Buffer.from('next'), 'copy', {
    value() {
      throw new RangeError('Array buffer allocation failed')
    },
  })
  body.add(unkept)
  expect([body.lost, body.bytes, budget.held]).toEqual(['shed', 9, 0])
})
