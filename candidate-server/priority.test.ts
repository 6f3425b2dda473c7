import { expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { call, hold, startTestServer, testModel } from './testing/start-test-server.ts'

test('priority 1 goes first, and none, or 0, before levels from 101 on', async () => {
  const server = await startTestServer({
    queue: { timeout: '5m' },
    models: [{ name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }],
  })
  onTestFinished(() => server.stop())
  const answered: string[] = []
  // slow enough for answers to arrive one by one
  const infer = async (name: string, priority?: number) => {
    const { status } = await call(`${server.url}/v2/models/slow/infer`, {
      inputs: [{ name: 'rounds', datatype: 'FP32', shape: [1, 1], data: [50] }],
      parameters: priority === undefined ? {} : { priority },
    })
    answered.push(name)
    return status
  }
  const release = hold((await call(`${server.url}/plan`)).body.instances[0].pid)
  const requests = [infer('running')]
  await waitFor(
    'a run',
    () => call(`${server.url}/plan`),
    ({ body }) => body.instances[0].mode === 'busy',
  )
  for (const [waiting, [name, priority]] of (
    [
      ['low', 101],
      ['none', undefined],
      ['zero', 0],
      ['high', 2],
      ['highest', 1],
    ] as const
  ).entries()) {
    requests.push(infer(name, priority))
    await waitFor(
      `${waiting + 1} in the queue`,
      () => call(`${server.url}/metrics`),
      ({ body }) => String(body).includes(`queue_requests{model="slow"} ${waiting + 1}`),
    )
  }
  release()
  expect(await Promise.all(requests)).toEqual(new Array(6).fill(200))
  expect(answered).toEqual(['running', 'highest', 'high', 'none', 'zero', 'low'])
})

test('a request that waited as long as the queue allows is not told to raise its own, longer timeout', async () => {
  const server = await startTestServer({
    queue: { timeout: '200ms' },
    models: [{ name: 'slow', path: testModel('slow'), batch: { sizeMax: 1 } }],
  })
  onTestFinished(() => server.stop())
  const release = hold((await call(`${server.url}/plan`)).body.instances[0].pid)
  const infer = (parameters: object) => {
    const inputs = [{ name: 'rounds', datatype: 'FP32', shape: [1, 1], data: [1] }]
    return call(`${server.url}/v2/models/slow/infer`, { inputs, parameters })
  }
  const running = infer({})
  await waitFor(
    'a run',
    () => call(`${server.url}/plan`),
    ({ body }) => body.instances[0].mode === 'busy',
  )
  expect((await infer({ timeout: 60_000_000 })).body.error).toContain('within queue.timeout')
  expect((await infer({ timeout: 1_000 })).body.error).toContain('within its timeout parameter')
  release()
  expect((await running).status).toBe(200)
})
