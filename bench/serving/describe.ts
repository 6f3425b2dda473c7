import type { BenchResult } from '../bench.ts'
import { preliminarySentence } from '../processes/other-processes.ts'
import { figure, markdownTable, met, times } from '../report/table.ts'
import { brokenAnswers } from './answers.ts'
import { howCompared } from './how-compared.ts'
import { sideNames } from './model-sides.ts'
import { type ComparedModel, comparedModels, connectionsFor, type TinyModel, tiny, tinyModels } from './plan.ts'
import { ratioByTurn } from './ratio.ts'
import { rowOf, rowsTable } from './row.ts'
import type { ServingStage } from './stage.ts'
import type { Turns, TurnsPlan } from './take-turns.ts'
import { type Form, forms, tinyNames } from './tiny-sides.ts'

interface MeasuredServing {
  stage: ServingStage
  plan: TurnsPlan
  turns: Turns
}

export function describeServing({ stage, plan, turns }: MeasuredServing): BenchResult {
  const { first, second } = stage.cores
  const preliminary = preliminarySentence(turns.othersShare)
  const markdown = `## What does the candidate server cost on top of its session?

**In short:** ${inShort(turns)}

${goalsTable(turns)}

${preliminary === undefined ? '' : `${preliminary} `}${howCompared(turns, plan)}

**Measured on** ${stage.machine}.

### On the same core

First the session alone on CPU ${first}; then the server with its one instance on CPU ${first}, its front process and its clients on CPU ${second}. “Rows” are images or texts. Latency is that of a run in the bare loop, and of a request over HTTP. All connections are always busy, so a request waits for the batch before its own. “In session” is the share of the round that the instance spent inside \`session.run\`; the rest went to messages and waiting.

${modelsTable(turns, 'oneCore')}

### On both cores, with the clients on them too

First two sessions alone, one pinned to each core; then the server with two instances, its front process and its clients on the same two cores. What front and clients take, the sessions lack.

${modelsTable(turns, 'bothCores')}

### Tiny models

Two MLPs, of 17 thousand and of 0.67 million parameters, at ${tiny.connections} connections, on both cores with the clients. Two sides are compared at their best.

- **The naive handler** is fastify in one process that calls \`session.run\` in the handler, once with the session's default options and once with one thread.
- **Clients** run on both cores, or only on the first one (${first}), where the server's instance is; its front then has the other to itself.
- **JSON:** an array of numbers in, \`{"predictions": […]}\` out, with the same bytes sent to both. **Binary:** the naive handler takes and returns the bare bytes; the server speaks Open Inference Protocol with binary tensors.
- **“Only reads and writes”** is one process that answers each request with the same bytes, without HTTP, JSON or a model: with these clients on these two cores no single process can be faster.

${tinyTable(turns)}

### Set-up

- Random weights; float32 unless stated otherwise; images of 3 × 224 × 224, 602 kB as floats, 151 kB as pixels (bytes, normalised in the graph); INT8 is QDQ with U8 activations and S8 weights per channel. One row in a request.
- The bare loop is a Node process with onnxruntime-node, the same session options as an instance and the same file as rewritten for this CPU: one thread, sequential, all graph optimizations, the system's allocator (as the server has it: \`cpu.allocator: none\`). One side runs one row at a time, another as many as the server's batches have; the faster one counts.
- The server: \`understudy candidate-server --config FILE\`, \`batch: {sizeMax: ${comparedModels[0]!.batch}, delayMax: 2ms}\` (${tiny.batch} and 0ms for the tiny models), the rest at its defaults. Its requests are binary tensors over ${connectionsFor(comparedModels[0]!.batch, 1)} connections for each instance; every answer must be a 200 of the expected length, and the values of the first one must equal the bare session's.

To reproduce: \`npm ci && npx node bench/run.ts serving\` (Python 3.10 or newer makes the models on the first run, see bench/models/make.ts); with \`--quick\` it prints the page after one short round. Use an idle machine.
`
  return { markdown, broken: brokenPromises(turns) }
}

/** Rates over HTTP on one core, and what share of the bare session's they are. */
function inShort(turns: Turns): string {
  const rates = comparedModels.flatMap((compared) => {
    const { server, bare } = sideNames(compared).oneCore
    const rate = rowOf(turns, server)?.rowsPerSecond.median
    const ratio = ratioByTurn(turns, server, bare)?.median
    return rate === undefined || ratio === undefined
      ? []
      : [`${compared.label} ${figure(rate)} rows/s, ${figure(ratio)} × its bare session`]
  })
  return `Over HTTP on one core: ${rates.join('; ')}.`
}

const tinyPairs = tinyModels.flatMap((tinyModel) => forms.map((form) => ({ tinyModel, form })))

function goalsTable(turns: Turns): string {
  const ofModels = comparedModels.flatMap((compared) => {
    const { ratioMin, label } = compared
    if (ratioMin === undefined) return []
    const { server, bare } = sideNames(compared).oneCore
    const ratio = ratioByTurn(turns, server, bare)
    const measured = `${times(ratio)}${cpuNote(turns, [server], bare)}`
    return [[`${label} ≥ ${ratioMin} × the bare session`, measured, met(ratio && ratio.median >= ratioMin)]]
  })
  const ofTiny = tinyPairs.map(({ tinyModel, form }) => {
    const { naives, servers, ceiling } = tinyKinds(tinyModel, form)
    const ratio = ratioByTurn(turns, servers, naives)
    const possible = `${times(ratioByTurn(turns, ceiling, naives))} is the ceiling: a process that only reads and writes`
    const measured = `${times(ratio)}${cpuNote(turns, servers, naives)}; ${possible}`
    const goal = `${tinyModel.label}, ${form} ≥ ${tiny.ratioMin} × a naive fastify handler at ${tiny.connections} connections`
    return [goal, measured, met(ratio && ratio.median >= tiny.ratioMin)]
  })
  return markdownTable(['goal', 'measured', 'met'], [...ofModels, ...ofTiny])
}

/** CPU time per row, front process included, compared with the others, each at its most economical. */
function cpuNote(turns: Turns, names: readonly string[], others: readonly string[]): string {
  const cpu = (of: readonly string[]) => Math.min(...of.map((name) => rowOf(turns, name)?.cpuMs ?? Number.NaN))
  return `, with ${figure(cpu(names) / cpu(others))} × the CPU a row`
}

/** Takes the better placement of clients for each, since it helps one and hurts the other. */
function tinyKinds(tinyModel: TinyModel, form: Form) {
  const { naive, naiveOnFirst, oneThread, server, serverOnFirst, ceiling } = tinyNames(tinyModel, form)
  return { naives: [naive, naiveOnFirst, oneThread], servers: [server, serverOnFirst], ceiling }
}

function modelsTable(turns: Turns, where: 'oneCore' | 'bothCores'): string {
  const sides = comparedModels.flatMap((compared: ComparedModel) => {
    const { bare, server } = sideNames(compared)[where]
    const label = (name: string) =>
      name === server ? `server, batches of ${compared.batch}` : `bare, ${name === bare[0] ? 1 : compared.batch} a run`
    return [...bare, server].map((name) => ({
      label: `${compared.label}: ${label(name)}`,
      name,
      compared: name === server ? times(ratioByTurn(turns, server, bare)) : '',
    }))
  })
  return rowsTable(turns, sides, 'to the faster bare loop')
}

function tinyTable(turns: Turns): string {
  const sides = tinyPairs.flatMap(({ tinyModel, form }) => {
    const names = tinyNames(tinyModel, form)
    const { naives } = tinyKinds(tinyModel, form)
    const row = (label: string, name: string) => ({
      label: `${tinyModel.label}, ${form}: ${label}`,
      name,
      compared: times(ratioByTurn(turns, name, naives)),
    })
    return [
      row('naive handler', names.naive),
      row('naive handler, clients on the first core', names.naiveOnFirst),
      row('naive handler, one thread', names.oneThread),
      row('server', names.server),
      row('server, clients on the first core', names.serverOnFirst),
      row('only reads and writes', names.ceiling),
    ]
  })
  return rowsTable(turns, sides, 'to the fastest naive handler')
}

function brokenPromises(turns: Turns): string[] {
  const ofModels = comparedModels.flatMap((compared) => {
    const { oneCore, bothCores } = sideNames(compared)
    return brokenAnswers(turns, [oneCore.server, bothCores.server], oneCore.bare[0]!)
  })
  const ofTiny = tinyModels.flatMap((tinyModel) => {
    const names = forms.flatMap((form) => {
      const { ceiling: _, ...answering } = tinyNames(tinyModel, form)
      return Object.values(answering)
    })
    return brokenAnswers(turns, names, tinyNames(tinyModel, 'json').oneThread)
  })
  const missing = [...turns.missing].map(([name, why]) => `${name} could not be measured: ${why}`)
  return [...missing, ...ofModels, ...ofTiny]
}
