import { afterEach, expect, test } from 'vitest'
import type { Turn } from '../model/turn.ts'
import { WaitingClient } from '../model/waiting-client.ts'
import type { ModelInfo } from '../tensor/model-info.ts'
import { OffThread } from './off-thread.ts'

const info: ModelInfo = {
  inputs: [{ name: 'x', type: 'float16', shape: [-1, 2] }],
  outputs: [{ name: 'y', type: 'float16', shape: [-1, 2] }],
  batch: { kind: 'dynamic' },
}
const request = (data: string) =>
  new TextEncoder().encode(`{"id":"a","inputs":[{"name":"x","datatype":"FP16","shape":[1,2],"data":${data}}]}`)

const turn = (own: Partial<Turn> = {}): Turn => ({
  shadow: false,
  client: new WaitingClient(),
  waitMsMax: 60_000,
  ...own,
})

let thread: OffThread
afterEach(() => thread.stop())

test('returns what the job returns, and throws what it throws', async () => {
  thread = new OffThread()
  const body = request('[0.5,-2]')
  const parsed = await thread.run(turn(), 'parseInfer', body, undefined, info)
  expect(parsed).toMatchObject({ id: 'a', outputs: [{ name: 'y', binary: false, classes: 0 }] })
  expect(parsed.inputs.x).toEqual({ type: 'float16', shape: [1, 2], data: new Float16Array([0.5, -2]) })
  expect(body.length, 'the body has moved, not been copied').toBe(0)
  await expect(thread.run(turn(), 'parseInfer', request('[0.5]'), undefined, info)).rejects.toMatchObject({
    status: 400,
    code: 'BAD_INPUT',
    message: expect.stringContaining('expected 2 elements'),
  })
})

test('a few numbers among much white space are returned', async () => {
  thread = new OffThread()
  const x: ModelInfo['inputs'][number] = { name: 'x', type: 'float32', shape: [-1, 2] }
  const model = { ...info, inputs: [x], name: 'm', version: '1', labels: undefined, path: 'm.onnx', runsAlone: false }
  const body = Buffer.from(`[0.5,-2]${' '.repeat(300_000)}`)
  const parsed = await thread.run(turn(), 'parseTensors', { method: 'POST', path: '/', headers: {}, body }, model)
  expect(parsed.x).toEqual({ type: 'float32', shape: [1, 2], data: new Float32Array([0.5, -2]) })
})

test('what cannot be transferred is refused, and the next job runs', async () => {
  thread = new OffThread()
  const uncrossable = { ...info, why: () => {} }
  await expect(thread.run(turn(), 'parseInfer', request('[1,2]'), undefined, uncrossable)).rejects.toThrow(/cloned/)
  expect((await thread.run(turn(), 'parseInfer', request('[1,2]'), undefined, info)).id).toBe('a')
})

test('live requests go before mirrored ones, and requests whose client left or that waited too long are dropped', async () => {
  thread = new OffThread()
  const gone = new WaitingClient()
  const order: string[] = []
  const ask = (name: string, own: Partial<Turn>) =>
    thread.run(turn(own), 'parseInfer', request('[1,2]'), undefined, info).then(
      () => order.push(name),
      ({ code }) => order.push(`${name}: ${code}`),
    )
  const asked = [
    ask('first', { shadow: true }),
    ask('shadow', { shadow: true }),
    ask('gone', { client: gone }),
    // the thread takes longer than that to start
    ask('late', { waitMsMax: 0 }),
    ask('live', {}),
  ]
  gone.leave()
  await Promise.all(asked)
  expect(order).toEqual(['gone: CLIENT_GONE', 'late: QUEUE_TIMEOUT', 'first', 'live', 'shadow'])
})

test('when it stops, waiting requests are refused', async () => {
  thread = new OffThread()
  const jobs = [1, 2, 3].map(() =>
    thread.run(turn(), 'parseInfer', request('[1,2]'), undefined, info).catch(({ code }) => code),
  )
  await thread.stop()
  expect(await Promise.all(jobs)).toEqual(['STOPPING', 'STOPPING', 'STOPPING'])
  await expect(thread.run(turn(), 'parseInfer', request('[1,2]'), undefined, info)).rejects.toMatchObject({
    code: 'STOPPING',
  })
})
