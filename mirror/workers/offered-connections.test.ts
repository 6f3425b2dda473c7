import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { closeUnaccepted } from './offered-connections.ts'

/** As node:cluster talks with it: `offer` sends a connection, to which `answer` refers by its number. */
function acceptingWorker() {
  const process = Object.assign(new EventEmitter(), { send: (..._message: unknown[]) => true })
  const worker = Object.assign(new EventEmitter(), { process })
  closeUnaccepted(worker as unknown as Worker)
  worker.emit('listening')
  let seq = 0
  return {
    offer(handle: object) {
      process.send({ act: 'newconn', seq: ++seq }, handle)
      return seq
    },
    answer: (ack: number, accepted: boolean) => process.emit('internalMessage', { ack, accepted }),
    ceaseToListen: () => process.emit('internalMessage', { act: 'close' }),
    exit: () => worker.emit('exit'),
  }
}

function connection() {
  const closed = { times: 0, close: () => void closed.times++ }
  return closed
}

test('what a worker that leaves turns down is left to the others, and closed by the last', () => {
  const [first, last] = [acceptingWorker(), acceptingWorker()]
  const handle = connection()
  const offered = first.offer(handle)
  first.ceaseToListen()
  first.answer(offered, false)
  first.exit()
  expect(handle.times).toBe(0)
  const offeredAgain = last.offer(handle)
  last.ceaseToListen()
  last.answer(offeredAgain, false)
  last.exit()
  expect(handle.times).toBe(1)
})

test('of what a worker was offered only what it has not answered is closed as it dies', () => {
  const worker = acceptingWorker()
  const [taken, pending] = [connection(), connection()]
  worker.answer(worker.offer(taken), true)
  worker.offer(pending)
  worker.exit()
  expect([taken.times, pending.times]).toEqual([0, 1])
})
