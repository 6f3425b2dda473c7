/** Every switch in the config reaches the processes, as observed from outside. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readTopology } from './cpu/topology.ts'
import { allocatorEnvironment } from './instance/allocator.ts'
import { hugePageWarnings } from './instance/huge-pages.ts'
import { call, demoModel, startTestServer, testModel } from './testing/start-test-server.ts'

const digits = { name: 'digits', path: demoModel('digits-teacher') }
async function planOf(section: Record<string, unknown>) {
  const server = await startTestServer({ models: [digits], ...section })
  onTestFinished(() => server.stop())
  return { url: server.url, plan: (await call(`${server.url}/plan`)).body }
}
const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')

test('huge pages: the allocator asks for them, and the kernel gives some', async () => {
  const { plan } = await planOf({ cpu: { instances: 1, threads: 1, allocator: 'none', hugePages: true } })
  const [{ pid, hugePageBytes }] = plan.instances
  expect(environmentOf(pid).some((entry) => /^GLIBC_TUNABLES=.*glibc\.malloc\.hugetlb=1/.test(entry))).toBe(true)
  const off = plan.warnings.some(({ code }: { code: string }) => code === 'HUGE_PAGES_OFF')
  expect(hugePageBytes > 0).toBe(!off)
})

test('huge pages: each allocator is asked in its own way, and existing variables are kept', () => {
  const jemalloc = { kind: 'preloaded', name: 'jemalloc', path: '/lib/libjemalloc.so.2' } as const
  const tcmalloc = { kind: 'preloaded', name: 'tcmalloc', path: '/lib/libtcmalloc.so.4' } as const
  expect(allocatorEnvironment(jemalloc, true, { MALLOC_CONF: 'narenas:1' })).toEqual({
    LD_PRELOAD: '/lib/libjemalloc.so.2',
    MALLOC_CONF: 'narenas:1,thp:always,metadata_thp:auto',
  })
  expect(allocatorEnvironment(jemalloc, false, {})).toEqual({ LD_PRELOAD: '/lib/libjemalloc.so.2' })
  expect(allocatorEnvironment({ kind: 'system' }, true, { GLIBC_TUNABLES: 'glibc.malloc.arena_max=1' })).toEqual({
    GLIBC_TUNABLES: 'glibc.malloc.arena_max=1:glibc.malloc.hugetlb=1',
  })
  expect(allocatorEnvironment({ kind: 'system' }, false, {})).toEqual({})
  expect(hugePageWarnings(jemalloc, 'always [madvise] never')).toEqual([])
  expect(hugePageWarnings(tcmalloc, 'always [madvise] never')).toHaveLength(1)
  expect(hugePageWarnings(tcmalloc, '[always] madvise never')).toEqual([])
  expect(hugePageWarnings(jemalloc, 'always madvise [never]')[0]!.message).toContain('[never]')
})

/** CPU ticks that a process has used. */
const ticksOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
    .map(Number)
    .reduce((a, b) => a + b)

test.runIf(readTopology().allowedCpus.length >= 2)(
  'spinning: idle threads use the CPU only where they should',
  async () => {
    /** CPU that its process takes while it has nothing to do, in half a second after each of so many runs. */
    const idleTicks = async (spinning: 'auto' | boolean, isOver: (ticks: number, runs: number) => boolean) => {
      const { url, plan } = await planOf({
        cpu: { instances: 1, threads: 2, spinning },
        models: [
          {
            name: 'slow',
            path: testModel('slow'),
            session: { extra: { 'session.intra_op.spin_duration_us': 1_000_000 } },
          },
        ],
      })
      const [{ pid }] = plan.instances
      let [ticks, runs] = [0, 0]
      for (; !isOver(ticks, runs); runs++) {
        await call(`${url}/predictions/slow`, [1])
        const before = ticksOf(pid)
        await sleep(500)
        ticks += ticksOf(pid) - before
      }
      return { ticks, runs }
    }
    // a machine with much else to do lets it spin little at a time
    const always = await idleTicks(true, (ticks, runs) => ticks >= 25 || runs === 10)
    const within = await idleTicks('auto', (_, runs) => runs === always.runs)
    const never = await idleTicks(false, (_, runs) => runs === always.runs)
    expect({ always, within, never }).toSatisfy(() => always.ticks > within.ticks + 5 && always.ticks > never.ticks + 5)
  },
)

test('graph optimization and memory: the runtime accepts every setting, and the answer stays the same', async () => {
  const answers = []
  for (const graphOptimization of ['disabled', 'basic', 'extended', 'layout', 'all']) {
    const { url } = await planOf({
      models: [
        {
          name: 'm',
          path: testModel('table'),
          session: { graphOptimization, memoryArena: false, memoryPattern: false },
        },
      ],
    })
    answers.push((await call(`${url}/predictions/m`, 2)).body)
  }
  expect(answers).toEqual(answers.map(() => ({ predictions: [2, 20] })))
})
