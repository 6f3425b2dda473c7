import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { closeExchangeFile, exchangeBytesMin, openExchangeFile } from '../candidate-server/instance/exchange-file.ts'
import { fromWire, inParts, toWire, type WireTensors } from '../candidate-server/instance/wire-tensors.ts'
import type { Bench, BenchResult } from './bench.ts'
import { machineLine } from './processes/machine.ts'
import { allowedCpus, pinnedCommand, pinSelf, planPinning } from './processes/pin.ts'
import { spreadOf } from './report/spread.ts'
import { figure, markdownTable, met, ratio, spreadFigure } from './report/table.ts'

const ways = ['through the exchange file', 'in the message'] as const
type Way = (typeof ways)[number]

interface Turn {
  way: Way
  /** Round trip time in ms. */
  tookMs: number
  frontCpuMs: number
}

/** A 3 × 224 × 224 image of floats as input, 1000 scores as output. */
const inputs = inParts({
  image: { type: 'float32', shape: [1, 3, 224, 224], data: new Float32Array(3 * 224 * 224).fill(0.5) },
})
const entry = join(import.meta.dirname, 'copies/instance-side.ts')

/** How much does it cost to pass an instance its inputs? */
export const copies: Bench = {
  name: 'copies',
  async run({ quick, progress }) {
    const machine = machineLine()
    const pinning = planPinning()
    const before = allowedCpus(process.pid).join(',')
    const exchange = openExchangeFile()
    if (exchange === undefined) throw new Error('neither /dev/shm nor the temporary folder takes a file')
    const [command, args] = pinnedCommand(pinning.others, process.execPath, [entry])
    const child = spawn(command, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', exchange],
      serialization: 'advanced',
    })
    pinSelf(pinning.proxy)
    try {
      const [turns, trips] = quick ? [3, 50] : [15, 2_000]
      const measured: Turn[] = []
      for (let turn = -1; turn < turns; turn++) {
        for (const way of ways) {
          const one = await measure(child, way, exchange, trips)
          if (turn >= 0) measured.push(one)
        }
        progress(`copies: turn ${turn + 1} of ${turns}`)
      }
      return describe(measured, trips, machine, pinning.proxy !== undefined)
    } finally {
      pinSelf(before)
      closeExchangeFile(exchange)
      if (child.connected) child.disconnect()
    }
  },
}

async function measure(child: ChildProcess, way: Way, exchange: number, trips: number): Promise<Turn> {
  const exchanged = way === ways[0]
  const fd = exchanged ? exchange : undefined
  const usage = process.cpuUsage()
  const startedAt = performance.now()
  for (let i = 0; i < trips; i++) {
    child.send({ inputs: toWire(inputs, fd), exchanged })
    const [answer] = (await once(child, 'message')) as [WireTensors]
    fromWire(answer, fd)
  }
  const { user, system } = process.cpuUsage(usage)
  return { way, tookMs: (performance.now() - startedAt) / trips, frontCpuMs: (user + system) / 1000 / trips }
}

function describe(turns: readonly Turn[], trips: number, machine: string, isPinned: boolean): BenchResult {
  const of = (way: Way, what: 'tookMs' | 'frontCpuMs') =>
    spreadOf(turns.filter((turn) => turn.way === way).map((turn) => turn[what]))
  const [ours, message] = ways
  const less = of(ours, 'frontCpuMs').median < of(message, 'frontCpuMs').median
  const markdown = `## What does it cost to hand an instance its inputs?

**In short:** ${figure(of(ours, 'frontCpuMs').median)} ms of the front’s CPU for 602 kB through the exchange file, ${figure(of(message, 'frontCpuMs').median)} ms in the message.

${markdownTable(
  ['goal', 'measured', 'met'],
  [
    [
      'less of the front’s CPU through the exchange file than in the message',
      `${figure(of(ours, 'frontCpuMs').median)} and ${figure(of(message, 'frontCpuMs').median)} ms`,
      met(less),
    ],
  ],
)}

602 kB of float32 go to a process that runs no model, and 4 kB come back, one trip after the other, by the server's own code. Tensors of ${exchangeBytesMin / 1024} KiB and more go through an in-memory file that both processes have open, with one copy in and one out; smaller ones go in the message over Node's channel.

**Measured on** ${machine}. ${isPinned ? 'The front and the instance on a CPU each.' : 'Nothing was pinned.'}

${markdownTable(
  ['inputs go', 'there and back, ms', 'front’s CPU, ms', 'to the message'],
  ways.map((way) => [
    way,
    spreadFigure(of(way, 'tookMs')),
    spreadFigure(of(way, 'frontCpuMs')),
    ratio(of(way, 'frontCpuMs').median, of(message, 'frontCpuMs').median),
  ]),
)}

- ${turns.length / ways.length} turns of ${figure(trips)} trips each way, after one uncounted turn; median (lowest–highest).

To reproduce: \`npm ci && npx node bench/run.ts copies\`; with \`--quick\` it prints the page after a short run. Use an idle machine.
`
  return { markdown, broken: less ? [] : ['the exchange file takes more of the front’s CPU than the message'] }
}
