/** SOAK_REQUESTS=300000 makes it a long run, whose figures are printed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { call, spawnServer, testModel } from './testing/start-test-server.ts'

const requests = Number(process.env.SOAK_REQUESTS ?? 30_000)
const clients = 16
const disturbances = 6

const section = (version: number) => `
candidateServer:
  listen: 127.0.0.1:0
  cpu: { instances: 1, threads: 1 }
  limits: { recycleAfter: ${Math.ceil(requests / 100)} }
  models:
    - { name: sum, version: "${version}", path: ${testModel('sum')}, batch: { sizeMax: 8 } }
`
const rssMiB = (pid: number) => Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Returns whether the process was still there. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

test(`${requests} requests with restarts and reloads: only crashed runs are lost, and memory stays flat`, async () => {
  const { child, url, config } = await spawnServer(section(1))
  const agent = new Agent({ connections: clients })
  const counts = { right: 0, lost: 0 }
  const versions = new Set<string>()
  let sent = 0
  let disturbed = false
  const client = async () => {
    // one more each after the last disturbance
    for (let done = false; !done; ) {
      done = disturbed && sent >= requests
      const id = sent++
      const { statusCode, headers, body } = await request(`${url}/predictions/sum`, {
        method: 'POST',
        body: JSON.stringify({ a: [id, 1], b: [1, id] }),
        dispatcher: agent,
      })
      const answer = (await body.json()) as { predictions?: number[]; message?: string }
      versions.add(String(headers['x-model-version']))
      if (statusCode === 200) {
        expect(answer.predictions).toEqual([id + 1, id + 1])
        counts.right++
      } else {
        expect([statusCode, answer.message]).toEqual([503, expect.stringContaining('ended while it ran the request')])
        counts.lost++
      }
    }
  }
  const planned = async () => (await call(`${url}/plan`)).body.instances[0]
  let kills = 0
  const crash = async () => {
    const { restarts } = await planned()
    let killed: number | undefined
    await waitFor(
      'another process',
      async () => {
        const now = await planned()
        // the process may just have been recycled: then kill its successor
        if (now.restarts === restarts && now.pid !== null && now.pid !== killed && kill(now.pid)) {
          killed = now.pid
          kills++
        }
        return now
      },
      (now) => now.restarts > restarts && now.mode !== 'starting',
      60_000,
    )
  }
  const memory: number[] = []
  /** Memory of the instance, one list per process. */
  const instanceMemory: number[] = []
  const disturb = async () => {
    await waitFor('a fresh process', planned, ({ recycles }) => recycles > 0, 600_000)
    for (let i = 1; i <= disturbances; i++) {
      await waitFor(
        `disturbance ${i}`,
        () => sent,
        (count) => count >= (requests * i) / (disturbances + 1),
        600_000,
      )
      memory.push(rssMiB(child.pid!))
      instanceMemory.push((await planned()).rssBytes / 2 ** 20)
      if (i % 2 === 1) {
        await crash()
      } else {
        writeFileSync(config, section(i))
        child.kill('SIGHUP')
        await waitFor(`version ${i}`, planned, ({ version }) => version === String(i), 60_000)
      }
    }
    disturbed = true
  }
  await Promise.all([disturb(), ...Array.from({ length: clients }, client)])
  memory.push(rssMiB(child.pid!))
  const { instances } = (await call(`${url}/plan`)).body
  instanceMemory.push(instances[0].rssBytes / 2 ** 20)
  await agent.close()

  expect(counts.right + counts.lost).toBe(sent)
  // a kill loses no more than the one batch inside the instance
  expect(counts.lost).toBeLessThanOrEqual(8 * kills)
  expect([...versions].sort()).toEqual(['1', '2', '4', '6'])
  expect(instances).toHaveLength(1)
  if (process.env.SOAK_REQUESTS) console.log({ sent, ...counts, memory, instanceMemory, instances })
  for (const [warm, ...later] of [memory, instanceMemory] as [number, ...number[]][]) {
    expect(warm).toBeGreaterThan(1)
    expect({ warm, later }).toSatisfy(() => Math.max(...later) < warm * 1.5 + 60)
  }
}, 900_000)
