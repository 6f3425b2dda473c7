import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { shadowRank } from '../batch/request-queue.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'
import type { TensorParts } from '../instance/wire-tensors.ts'
import { emptyTensor } from '../tensor/tensor.ts'
import { BatchRunner } from './batch-runner.ts'
import { InferenceStatistics } from './inference-statistics.ts'
import { ServedModel, type ServedModelOptions } from './served-model.ts'
import { WaitingClient } from './waiting-client.ts'

const loaded = (own: Partial<LoadedModel> = {}) =>
  ({
    info: { inputs: [{ name: 'x', type: 'float32', shape: [-1, -1] }], outputs: [], batch: { kind: 'dynamic' } },
    quantization: 'none',
    ...own,
  }) as LoadedModel

const instance = (group: number, mode: 'idle' | 'busy') => {
  const quiet = { serving: true, isLost: false, takesAhead: false, freeAt: 0, abandonRuns() {} }
  return { placed: { group }, mode, ...quiet } as unknown as PinnedInstance
}

const serve = (instances: PinnedInstance[], own: Partial<ServedModelOptions> = {}) =>
  new ServedModel({
    name: 'm',
    version: '1',
    loaded: loaded(),
    instances,
    batch: [{ sizeMax: 4, delayMaxMs: 2 }],
    queue: { max: 100, timeoutMs: 60_000 },
    rowsMax: 100,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    ...own,
  })
const ofLength = (length: number) => ({ x: emptyTensor('float32', [1, length]) })

test('a group whose instances are busy is not polled because an instance of another group is idle', async () => {
  const model = serve([instance(0, 'idle'), instance(1, 'busy')], {
    batch: [
      { sizeMax: 4, delayMaxMs: 2 },
      { sizeMax: 4, delayMaxMs: 2 },
    ],
    dispatch: {
      by: 'length',
      spillOver: 'larger',
      groups: [
        { upTo: 10, instances: 1, threads: 1 },
        { instances: 1, threads: 1 },
      ],
    },
  })
  const looks = vi.spyOn(model.groups[1]!.queue, 'takeExpired')
  void model.infer(ofLength(20), new WaitingClient())
  await wait(100)
  expect(looks.mock.calls.length).toBeLessThan(10)
  await model.drain(0)
})

test('no priority turns a live request into a mirrored one', async () => {
  const model = serve([instance(0, 'busy')])
  const added = vi.spyOn(model.groups[0]!.queue, 'add')
  void model.infer(ofLength(3), new WaitingClient(), { priority: Number.MAX_SAFE_INTEGER })
  expect(added.mock.calls[0]![0].rank).toBeLessThan(shadowRank)
  await model.drain(0)
})

test('requests of a dynamically quantized model share no batch, even a fixed one', () => {
  const { info } = loaded()
  const runner = (batch: LoadedModel['info']['batch']) =>
    new BatchRunner({
      model: 'm',
      loaded: loaded({ info: { ...info, batch }, quantization: 'dynamic' }),
      statistics: new InferenceStatistics(systemClock),
      clock: systemClock,
      logger: pino({ level: 'silent' }),
    })
  for (const batch of [{ kind: 'dynamic' }, { kind: 'fixed', size: 4 }] as const) {
    expect(runner(batch).batching).toBe(false)
    expect(runner(batch).grouping(ofLength(3)).key).toBeNull()
  }
})

test('requests to a fixed batch share no run if batch.sizeMax is 1: each is padded with zeros', async () => {
  const { info } = loaded()
  const run = vi.fn(async (_inputs: Record<string, TensorParts>) => ({
    kind: 'done',
    outputs: { y: emptyTensor('float32', [4, 1]) },
    waitedMs: 0,
    inferMs: 1,
    rssBytes: 1,
  }))
  const model = serve([Object.assign(instance(0, 'idle'), { run })], {
    loaded: loaded({ info: { ...info, batch: { kind: 'fixed', size: 4 } } }),
    batch: [{ sizeMax: 1, delayMaxMs: 2 }],
  })
  await Promise.all([model.infer(ofLength(3), new WaitingClient()), model.infer(ofLength(3), new WaitingClient())])
  expect(run.mock.calls.map(([{ x }]) => [x!.shape, x!.parts.length])).toEqual([
    [[4, 3], 2],
    [[4, 3], 2],
  ])
  await model.drain(0)
})

test('the wait inside a busy instance counts as time in the queue', async () => {
  let now = 100
  const run = async () => {
    now += 50
    return { kind: 'done', outputs: { y: emptyTensor('float32', [1, 1]) }, waitedMs: 20, inferMs: 25, rssBytes: 1 }
  }
  const clock = { ...systemClock, monotonic: () => now }
  const model = serve([Object.assign(instance(0, 'idle'), { run })], { batch: [{ sizeMax: 1, delayMaxMs: 0 }], clock })
  const answer = model.infer(ofLength(3), new WaitingClient())
  now += 7
  expect(await answer).toMatchObject({ kind: 'answered', timings: { queueMs: 27, batchMs: 5, inferMs: 25 } })
  await model.drain(0)
})

test('a batch that fails in an unexpected way answers its requests, each counted once, and the next one runs', async () => {
  const done = { kind: 'done', outputs: { y: emptyTensor('float32', [2, 3]) }, waitedMs: 0, inferMs: 1, rssBytes: 1 }
  const run = vi.fn().mockRejectedValueOnce(new Error('broken')).mockResolvedValue(done)
  const model = serve([Object.assign(instance(0, 'idle'), { run })])
  const { statistics } = model
  const two = () =>
    Promise.all([model.infer(ofLength(3), new WaitingClient()), model.infer(ofLength(3), new WaitingClient())])
  const failed = { kind: 'failed', message: 'its batch could not be run: broken' }
  expect(await two()).toEqual([failed, failed])
  // the first of its requests is answered, and settling the second fails
  statistics.onOutcome = () => {
    statistics.onOutcome = () => {}
    throw new Error('broken')
  }
  expect(await two()).toEqual([expect.objectContaining({ kind: 'answered' }), failed])
  expect((await two()).map(({ kind }) => kind)).toEqual(['answered', 'answered'])
  expect([statistics.failed, statistics.success.count]).toEqual([3, 3])
  await model.drain(0)
})
