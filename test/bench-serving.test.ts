import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { best, goalsTable } from '../bench/ladder/goals.ts'
import { base, equalSettings, rungs } from '../bench/ladder/rungs.ts'
import { elementsOf, modelNames, modelOf } from '../bench/models/models.ts'
import { brokenAnswers, isSameAnswer } from '../bench/serving/answers.ts'
import { howCompared } from '../bench/serving/how-compared.ts'
import { loadServing } from '../bench/serving/loader.ts'
import { together } from '../bench/serving/loop.ts'
import { ratioByTurn } from '../bench/serving/ratio.ts'
import { rowOf, rowsTable } from '../bench/serving/row.ts'
import type { ServingSide, Throughput } from '../bench/serving/side.ts'
import { type Turns, takeTurns } from '../bench/serving/take-turns.ts'

const throughput = (rowsPerSecond: number, more: Partial<Throughput> = {}): Throughput => ({
  rowsPerSecond,
  rows: rowsPerSecond,
  latenciesMs: [1, 2, 3],
  errors: 0,
  answer: [1, 2],
  ...more,
})

const turnsOf = (rates: Record<string, number[]>): Turns => ({
  rounds: new Map(Object.entries(rates).map(([name, own]) => [name, own.map((rate) => throughput(rate))])),
  missing: new Map(),
  unstable: [],
  othersShare: undefined,
})

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(answer: (request: IncomingMessage, body: Buffer) => { status: number; body: Buffer }) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { status, body } = answer(request, Buffer.concat(chunks))
    response.writeHead(status, { 'content-length': body.length, 'inference-header-content-length': '2' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const tensors = (values: number[]) =>
  Buffer.concat([Buffer.from('{}'), Buffer.from(new Uint8Array(Float32Array.from(values).buffer))])

test('a row is sent as Open Inference Protocol with its bytes after the JSON, and its answer is read back', async () => {
  let seen: { json: any; elements: Float32Array } | undefined
  const port = await serve((request, body) => {
    const jsonBytes = Number(request.headers['inference-header-content-length'])
    const json = JSON.parse(body.subarray(0, jsonBytes).toString())
    seen = { json, elements: new Float32Array(new Uint8Array(body.subarray(jsonBytes)).buffer) }
    return { status: 200, body: tensors([0.5, -2]) }
  })
  const result = await loadServing({ port, model: 'mlp-64', wire: 'tensors', connections: 2, durationMs: 1000 })
  expect(seen?.json.inputs).toEqual([
    { name: 'input', datatype: 'FP32', shape: [1, 64], parameters: { binary_data_size: 256 } },
  ])
  expect([...seen!.elements]).toEqual([...(elementsOf(modelOf('mlp-64').inputs[0]!, 1) as Float32Array)])
  expect(result.answer).toEqual([0.5, -2])
  expect(result.errors).toBe(0)
  expect(result.rows).toBeGreaterThanOrEqual(result.latenciesMs.length)
  expect(result.rowsPerSecond).toBeGreaterThan(0)
})

test('a refusal and an answer of a different length count as errors, not as rows', async () => {
  let asked = 0
  const port = await serve(() => {
    asked++
    if (asked === 1) return { status: 200, body: tensors([1]) }
    return asked % 2 === 0 ? { status: 503, body: Buffer.alloc(0) } : { status: 200, body: tensors([1, 2]) }
  })
  const result = await loadServing({ port, model: 'mlp-64', wire: 'tensors', connections: 1, durationMs: 500 })
  expect(result.rows).toBe(1)
  expect(result.errors).toBe(asked - 1)
  expect(result.errors).toBeGreaterThan(1)
})

test('every model has the same elements in every row and process', () => {
  for (const name of modelNames) {
    for (const input of modelOf(name).inputs) {
      const [one, two] = [1, 2].map((rows) => elementsOf(input, rows))
      const bytes = Buffer.from(one!.buffer)
      expect(Buffer.concat([bytes, bytes]).equals(Buffer.from(two!.buffer))).toBe(true)
      expect(bytes.equals(Buffer.alloc(bytes.length))).toBe(false)
    }
  }
})

test('a ratio compares with the fastest other side, turn by turn', () => {
  const turns = turnsOf({ server: [9, 8, 30], 'bare-1': [10, 4, 20], 'bare-4': [5, 16, 10] })
  expect(ratioByTurn(turns, 'server', ['bare-1', 'bare-4'])).toEqual({ median: 0.9, min: 0.5, max: 1.5 })
  expect(ratioByTurn(turns, 'server', ['nobody'])).toBeUndefined()
})

test('a row shows the median of the rounds’ own quantiles', () => {
  const turns = turnsOf({})
  turns.rounds.set('side', [
    throughput(1, { latenciesMs: [30, 10, 20], cpuMs: 4 }),
    throughput(3, { latenciesMs: [5] }),
    throughput(2, { latenciesMs: [7, 8, 9], cpuMs: 6 }),
  ])
  const row = rowOf(turns, 'side')!
  expect(row).toMatchObject({ rowsPerSecond: { median: 2, min: 1, max: 3 }, p50Ms: 8, cpuMs: 5 })
  expect(rowOf(turns, 'nobody')).toBeUndefined()
  turns.rounds.set('starved', [throughput(0, { latenciesMs: [] })])
  expect(rowOf(turns, 'starved')).toMatchObject({ rowsPerSecond: { median: 0 }, p50Ms: Number.NaN })
})

test('a table omits columns for which no side has a figure', () => {
  const turns = turnsOf({ bare: [1], server: [2] })
  const sides = ['bare', 'server', 'nobody'].map((name) => ({ label: name, name, compared: '1 ×' }))
  expect(rowsTable(turns, sides, 'to bare').split('\n')).toEqual([
    '|  | rows/s | p50, ms | p99, ms | to bare |',
    '| --- | --: | --: | --: | --: |',
    '| bare | 1 (1–1) | 2 | 2.98 | 1 × |',
    '| server | 2 (2–2) | 2 | 2.98 | 1 × |',
    '| nobody | – | – | – | 1 × |',
  ])
  turns.rounds.set('server', [throughput(2, { inSession: 0.5 })])
  expect(rowsTable(turns, sides, 'to bare')).toContain('| server | 2 (2–2) | 2 | 2.98 | 50 % | 1 × |')
})

test('the note on all turns counts failures and rates that did not settle', () => {
  const plan = { warmUpMs: 0, durationMs: 2000, min: 1, max: 1, stableRange: 0.05 }
  const turns = turnsOf({ one: [1, 1], other: [1, 2] })
  expect(howCompared(turns, plan)).toMatch(/^2 turns, .* for 2 s .*\. No request failed\.$/)
  turns.rounds.set('one', [throughput(1, { errors: 1 }), throughput(1, { errors: 2 })])
  turns.unstable.push('other')
  expect(howCompared(turns, plan)).toMatch(/3 requests failed\. 1 of 2 rates were not stable within 5 % /)
})

test('the rates of processes that run at once add up', () => {
  const sum = together([throughput(3, { latenciesMs: [1] }), throughput(4, { latenciesMs: [2, 3], errors: 1 })])
  expect(sum).toMatchObject({ rowsPerSecond: 7, rows: 7, latenciesMs: [1, 2, 3], errors: 1 })
})

test('a different or missing answer is a broken promise', () => {
  expect(isSameAnswer([1, 2.001], [1, 2, 3])).toBe(true)
  expect(isSameAnswer([1, 2.1], [1, 2])).toBe(false)
  expect(isSameAnswer([], [1])).toBe(false)
  expect(isSameAnswer([Number.NaN, 2], [1, 2])).toBe(false)
  const turns = turnsOf({ bare: [1], wrong: [1], failing: [1] })
  turns.rounds.set('wrong', [throughput(1, { answer: [9, 9] })])
  turns.rounds.set('failing', [throughput(1, { errors: 4 })])
  expect(brokenAnswers(turns, ['bare', 'wrong', 'failing'], 'bare')).toEqual([
    expect.stringContaining('wrong answers [9,9'),
    'failing: 4 requests failed',
  ])
})

test('sides run one at a time, forwards and backwards; one that cannot start is left out, one that fails is ended', async () => {
  const events: string[] = []
  const side = (name: string, measure: () => Promise<Throughput>): ServingSide => ({
    name,
    async start() {
      if (name === 'absent') throw new Error('log\nunderstudy: jemalloc is not installed\nmore')
      events.push(`+${name}`)
      return { pids: [], measure, stop: async () => void events.push(`-${name}`) }
    },
  })
  const plan = { warmUpMs: 0, durationMs: 0, min: 2, max: 2, stableRange: 1 }
  const good = (name: string) => side(name, async () => throughput(10))
  const turns = await takeTurns([good('a'), side('absent', async () => throughput(1)), good('b')], plan, () => {})
  expect(events).toEqual(['+a', '-a', '+b', '-b', '+b', '-b', '+a', '-a'])
  expect(turns.missing).toEqual(new Map([['absent', 'jemalloc is not installed']]))
  expect([...turns.rounds.keys()]).toEqual(['a', 'b'])

  const failing = side('failing', () => Promise.reject(new Error('gone')))
  await expect(takeTurns([failing], plan, () => {})).rejects.toThrow('gone')
  expect(events.at(-1)).toBe('-failing')
})

test('turns go on until every side is stable or they are used up', async () => {
  let runs = 0
  const wild: ServingSide = {
    name: 'wild',
    start: async () => ({ pids: [], measure: async () => throughput(10 * ++runs), stop: async () => {} }),
  }
  const plan = { warmUpMs: 0, durationMs: 0, min: 2, max: 4, stableRange: 0.05 }
  const turns = await takeTurns([wild], plan, () => {})
  expect(turns.rounds.get('wild')).toHaveLength(4)
  expect(turns.unstable).toEqual(['wild'])
})

test('every rung of the ladder has its own name and uses both cores, and compared rungs have equal settings', () => {
  expect(new Set(rungs.map(({ name }) => name)).size).toBe(rungs.length)
  for (const rung of rungs) if (rung.kind === 'server') expect(rung.cpu.instances * rung.cpu.threads).toBe(2)
  for (const { ours, theirs } of equalSettings) {
    const [server, python] = [ours, theirs].map((name) => rungs.find((rung) => rung.name === name))
    if (server?.kind !== 'server' || python?.kind !== 'peer') throw new Error(`${ours} or ${theirs} is no such rung`)
    expect(python.model).toBe(server.model)
    expect(python.processes).toBe(server.cpu.instances)
    expect(server.batchRows).toBe(1)
    expect(server.session.graphOptimization).toBe('all')
  }
})

test('the ladder’s goals are judged on the best rung and on every pair of equal settings, never on missing figures', () => {
  const even = Object.fromEntries(
    equalSettings.flatMap(({ ours, theirs }) => [
      [ours, [10]],
      [theirs, [10]],
    ]),
  )
  const rates = {
    ...even,
    [base.name]: [1],
    'server-everything': [12],
    'openvino-resnet50-int8-2': [11],
    'server-student': [18],
  }
  const verdicts = (of: Record<string, number[]>) =>
    [...goalsTable(turnsOf(of)).matchAll(/(not measured|\*\*\w+\*\*) \|/g)].map(([, v]) => v)
  expect(
    best(
      turnsOf(rates),
      rungs.filter(({ kind }) => kind === 'server'),
    )?.name,
  ).toBe('server-student')
  expect(verdicts(rates)).toEqual(['**yes**', '**yes**', '**yes**', '**no**'])
  expect(verdicts({ ...rates, 'server-int8': [9.9], 'server-everything': [10.9], 'server-student': [19] })).toEqual([
    '**no**',
    '**no**',
    '**no**',
    '**yes**',
  ])
  const { [base.name]: _, ...withoutBase } = rates
  expect(verdicts(withoutBase)).toEqual(['not measured', '**yes**', '**yes**', 'not measured'])
})
