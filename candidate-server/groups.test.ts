import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { readTopology } from './cpu/topology.ts'
import type { CandidateServer } from './server.ts'
import { call, hold, startTestServer, testModel } from './testing/start-test-server.ts'

const row = (length: number, rounds: number) => [rounds, ...new Array(length - 1).fill(0)]

/** Two CPUs of the machine, one per instance: groups must not share an instance. */
async function start(dispatch: Record<string, unknown>, model = 'slow-length'): Promise<CandidateServer> {
  const [first, second] = readTopology().allowedCpus
  const own = [first!, second ?? first!]
  const server = await startTestServer(
    { cpu: {}, models: [{ name: 'm', path: testModel(model), batch: { sizeMax: 1 }, dispatch }] },
    {
      readTopology: () => ({
        ...readTopology(),
        cores: own.map((cpu) => ({ siblings: [cpu], node: 0, capacity: 1024 })),
      }),
    },
  )
  onTestFinished(() => server.stop())
  return server
}
const twoGroups = [
  { upTo: 4, instances: 1, threads: 1 },
  { instances: 1, threads: 1 },
]
const run = ({ url }: CandidateServer, length: number, rounds: number) =>
  call(`${url}/predictions/m`, row(length, rounds))
const groupsOf = async ({ url }: CandidateServer) => (await call(`${url}/plan`)).body.groups
const busy = async ({ url }: CandidateServer) =>
  (await call(`${url}/plan`)).body.instances.filter(({ mode }: { mode: string }) => mode === 'busy')

/** Occupies a group's instance with a run that lasts until it is released. */
async function held(server: CandidateServer, group: string, length: number) {
  const { instances } = (await call(`${server.url}/plan`)).body
  const release = hold(instances.find((one: { group: string }) => one.group === group).pid)
  const running = run(server, length, 1)
  await waitFor(
    'a busy instance',
    () => busy(server),
    ({ length }) => length === 1,
  )
  return { running, release }
}

const machineHasTwo = readTopology().allowedCpus.length >= 2

describe.runIf(machineHasTwo)('instance groups', () => {
  test('take inputs of their own length, and report what each did', async () => {
    const server = await start({ spillOver: 'none', groups: twoGroups })
    expect((await run(server, 2, 1)).body).toEqual({ predictions: [1, 0] })
    await run(server, 4, 1)
    await run(server, 5, 1)
    expect(await groupsOf(server)).toMatchObject([
      { model: 'm', group: '4', instances: 1, answered: 2, spilled: 0 },
      { model: 'm', group: 'rest', instances: 1, answered: 1, spilled: 0 },
    ])
    const metrics = String((await call(`${server.url}/metrics`)).body)
    expect(metrics).toContain('understudy_candidate_group_infer_seconds_count{model="m",group="4"} 2')
    expect(metrics).toContain('understudy_candidate_group_queue_seconds_count{model="m",group="rest"} 1')
    const { instances } = (await call(`${server.url}/plan`)).body
    expect(instances.map(({ group, affinity }: Record<string, string>) => [group, affinity])).toEqual([
      ['4', 'verified'],
      ['rest', 'verified'],
    ])
  })

  test('answer short inputs without delay while the group for long ones is busy', async () => {
    const server = await start({ spillOver: 'none', groups: twoGroups })
    const { running, release } = await held(server, 'rest', 9)
    expect((await run(server, 2, 1)).status).toBe(200)
    expect(await busy(server)).toHaveLength(1)
    release()
    await running
  })

  test('spill over to idle instances of larger groups, and never to smaller ones', async () => {
    const server = await start({ groups: twoGroups })
    const short = await held(server, '4', 2)
    expect((await run(server, 3, 1)).status).toBe(200)
    expect((await groupsOf(server))[0]).toMatchObject({ spilled: 1 })
    short.release()
    await short.running

    const long = await held(server, 'rest', 9)
    const queued = run(server, 8, 1)
    await waitFor(
      'one in the queue',
      () => groupsOf(server),
      ([, rest]) => rest.queued === 1,
    )
    expect(await busy(server)).toHaveLength(1)
    long.release()
    expect((await Promise.all([long.running, queued])).map(({ status }) => status)).toEqual([200, 200])
    expect((await groupsOf(server))[1]).toMatchObject({ spilled: 0 })
  })

  test('by elements count the elements in a row, whatever its length', async () => {
    const groups = [{ upTo: 12 }, { upTo: 48 }]
    const server = await start({ by: 'elements', spillOver: 'none', groups }, 'echo-any-size')
    const image = (side: number) => [0, 1, 2].map(() => Array.from({ length: side }, () => new Array(side).fill(7)))
    const predict = (side: number) => call(`${server.url}/predictions/m`, image(side))
    for (const side of [1, 2, 3]) expect((await predict(side)).body).toEqual({ predictions: image(side) })
    expect(await groupsOf(server)).toMatchObject([
      { group: '12', answered: 2 },
      { group: '48', answered: 1 },
    ])
    // the rows of a request do not add up
    const two = { name: 'image', datatype: 'UINT8', shape: [2, 3, 2, 2], data: new Array(24).fill(7) }
    expect((await call(`${server.url}/v2/models/m/infer`, { inputs: [two] })).status).toBe(200)
    expect(await groupsOf(server)).toMatchObject([{ answered: 3 }, { answered: 1 }])
    expect(await predict(5)).toMatchObject({
      status: 400,
      body: { message: 'a row has 75 elements; m takes up to 48' },
    })
  })

  test('whose last one has a limit refuse longer inputs', async () => {
    const server = await start({ groups: [{ upTo: 4 }, { upTo: 8 }] })
    expect(await run(server, 9, 1)).toMatchObject({
      status: 400,
      body: { message: 'the input is 9 long; m takes up to 8' },
    })
  })
})

test('that dispatch by an input the model lacks, or whose rows have no length, are refused at the start', async () => {
  const model = { name: 'm', dispatch: { input: 'ids', groups: [{}] } }
  await expect(startTestServer({ cpu: {}, models: [{ ...model, path: testModel('slow-length') }] })).rejects.toThrow(
    /dispatch\.input is ids, which it has not; it has rounds/,
  )
  await expect(
    startTestServer({ cpu: {}, models: [{ name: 'm', path: testModel('table'), dispatch: { groups: [{}] } }] }),
  ).rejects.toThrow(/index has no second dimension; dispatch by elements/)
})
