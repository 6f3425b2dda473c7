/** Everything at once: three models under load, crashed and hung instances, and reloads. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { call, hold, spawnServer, testModel } from './testing/start-test-server.ts'

const clients = 24
const rounds = 3

const section = (version: number) => `
candidateServer:
  listen: 127.0.0.1:0
  cpu: { instances: 2, threads: 1 }
  limits: { runTimeout: 1s }
  models:
    - { name: sum, version: "${version}", path: ${testModel('sum')}, batch: { sizeMax: 8 } }
    - { name: table, version: "${version}", path: ${testModel('table')}, batch: { sizeMax: 4 } }
    - { name: slow, path: ${testModel('slow')}, batch: { sizeMax: 1 } }
`
const models: { name: string; body: (i: number) => unknown; answer: (i: number) => number[] }[] = [
  { name: 'sum', body: (i) => ({ a: [i, 1], b: [1, i] }), answer: (i) => [i + 1, i + 1] },
  { name: 'table', body: () => 3, answer: () => [3, 30] },
  { name: 'slow', body: (i) => [i % 9], answer: (i) => [i % 9] },
]
const clear = /ended while it ran the request; try again|took longer than limits\.runTimeout|no instance of .* stays up/

test('crashes, hung instances and reloads at once: each answer is right or a clear error, and all are counted', async () => {
  const { child, url, config } = await spawnServer(section(0))
  const counts = new Map(models.map(({ name }) => [name, { 200: 0, 503: 0 }]))
  let isOver = false
  const client = async (first: number) => {
    for (let i = first; !isOver; i += clients) {
      const { name, body, answer } = models[i % models.length]!
      const got = await call(`${url}/predictions/${name}`, body(i))
      if (got.status === 200) expect(got.body).toEqual({ predictions: answer(i) })
      else expect([got.status, got.body.message]).toEqual([503, expect.stringMatching(clear)])
      counts.get(name)![got.status as 200 | 503]++
    }
  }
  const instances = async (): Promise<{ model: string; version: string; pid: number | null; restarts: number }[]> =>
    (await call(`${url}/plan`)).body.instances
  /** A process that serves the model now, and is not the hung one. */
  const processOf = async (model: string, hung?: number) =>
    (await waitFor(
      `a process of ${model}`,
      async () => (await instances()).find((one) => one.model === model && one.pid !== null && one.pid !== hung),
      (one) => one !== undefined,
    ))!.pid!
  const untilGone = (pid: number) =>
    waitFor(`process ${pid} to be gone`, instances, (all) => all.every((one) => one.pid !== pid), 200_000)
  const disturb = async () => {
    for (let round = 1; round <= rounds; round++) {
      const hung = await processOf(models[round % models.length]!.name)
      hold(hung)
      for (const { name } of models) {
        const pid = await processOf(name, hung)
        process.kill(pid, 'SIGKILL')
        await untilGone(pid)
      }
      writeFileSync(config, section(round))
      child.kill('SIGHUP')
      await waitFor(
        `version ${round}`,
        instances,
        (all) => all.every(({ model, version }) => model === 'slow' || version === String(round)),
        200_000,
      )
      await untilGone(hung)
    }
  }
  const ended = disturb().finally(() => {
    isOver = true
  })
  await Promise.all([ended, ...Array.from({ length: clients }, (_, i) => client(i))])

  const metrics = String((await call(`${url}/metrics`)).body)
  const sumOf = (pattern: string) =>
    [...metrics.matchAll(new RegExp(`${pattern} (\\d+)`, 'g'))].reduce((sum, [, count]) => sum + Number(count), 0)
  for (const [name, { 200: right, 503: refused }] of counts) {
    expect(right).toBeGreaterThan(0)
    expect({
      right: sumOf(`replies_total\\{protocol="torchServe",model="${name}",status="200"\\}`),
      refused: sumOf(`replies_total\\{protocol="torchServe",model="${name}",status="503"\\}`),
      dropped: sumOf(`dropped_total\\{model="${name}",reason="\\w+"\\}`),
    }).toEqual({ right, refused, dropped: refused })
  }
  // a reload replaces the statistics of the other models with the models
  const [stats] = (await call(`${url}/v2/models/slow/stats`)).body.model_stats
  expect(stats.inference_stats).toMatchObject({
    success: { count: counts.get('slow')![200] },
    fail: { count: counts.get('slow')![503] },
  })
}, 600_000)
