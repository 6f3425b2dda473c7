import type { BenchResult } from '../bench.ts'
import { preliminarySentence } from '../processes/other-processes.ts'
import { times } from '../report/table.ts'
import { brokenAnswers } from '../serving/answers.ts'
import { howCompared } from '../serving/how-compared.ts'
import { ratioByTurn } from '../serving/ratio.ts'
import { rowsTable } from '../serving/row.ts'
import type { ServingStage } from '../serving/stage.ts'
import type { Turns, TurnsPlan } from '../serving/take-turns.ts'
import { goalsTable, inShort } from './goals.ts'
import { base, type LadderSection, ladder, rungs } from './rungs.ts'

interface MeasuredLadder {
  stage: ServingStage
  plan: TurnsPlan
  turns: Turns
  versions: string
}

export function describeLadder({ stage, plan, turns, versions }: MeasuredLadder): BenchResult {
  const preliminary = preliminarySentence(turns.othersShare)
  const markdown = `## What does each optimization of ResNet-50 bring on this CPU?

**In short:** ${inShort(turns)}

${goalsTable(turns)}

${preliminary === undefined ? '' : `${preliminary} `}${howCompared(turns, plan)}

**Measured on** ${stage.machine} · ${versions}.

${ladder.map((section) => sectionOf(turns, section)).join('\n\n')}

### Set-up

- Everything runs on the same two cores, CPUs ${stage.cores.both}: an engine in its loop, or our server with its front process, its instances and its clients. A row is one image. Latency is that of a run in a loop, or of a request over HTTP, with two requests under way for each instance and row of its batch. “In session” is the share of the round that the instances spent inside \`session.run\`; the rest went to HTTP, clients and messages.
- ResNet-50 with random weights (bench/models/networks.py), images of 3 × 224 × 224. INT8: QDQ, U8 activations, S8 weights per channel, one file for all engines. “Pixels”: one byte an element, normalised in the graph, 151 kB instead of 602 kB a request. What INT8 gains depends on the instructions above: without VNNI or AMX, little more than less memory traffic.
- Our server: \`understudy candidate-server --config FILE\` with the switches of its row (\`cpu.instances\`, \`threads\`, \`allocator\`, \`hugePages\`, \`spinning\`; \`batch.sizeMax\`; \`session.graphOptimization\`, \`amx\`, \`spaceToDepth\`), \`batch.delayMax: 2ms\`, the rest at its defaults. “What our server’s instances run” is the session with their options and the file as rewritten for this CPU, in a loop. Python engines run one image at a time on arrays that are already in memory. “The CPU’s multiply-adds alone” does as many as an image takes, 4.09 billion, with the CPU's widest instructions for them (x86-64), from registers to registers (\`bench/ladder/arithmetic.c\`): no kernel can be faster.
- Every answer over HTTP must be a 200 of the expected length, and that of each float32 row must equal PyTorch's.

To reproduce: \`npm ci && npx node bench/run.ts ladder\` (Python 3.10 or newer makes the models on the first run, see bench/models/make.ts; \`apt-get install libjemalloc2 libtcmalloc-minimal4\` for the allocators, a C compiler as \`cc\` for the multiply-adds alone); with \`--quick\` it prints the page after one short round. Use an idle machine.
`
  return { markdown, broken: brokenPromises(turns) }
}

function sectionOf(turns: Turns, { title, rungs: own }: LadderSection): string {
  const sides = own.map(({ name, label }) => ({ label, name, compared: times(ratioByTurn(turns, name, [base.name])) }))
  return `### ${title}\n\n${rowsTable(turns, sides, 'to eager PyTorch')}`
}

/**
 * Only float32 is compared with PyTorch: INT8 engines saturate and round differently, and the student and the pixel
 * models are different functions.
 */
function brokenPromises(turns: Turns): string[] {
  const answering = rungs.filter((rung) => rung.kind !== 'peer' || rung.engine !== 'arithmetic')
  const namesOf = (models: readonly string[]) =>
    answering.filter(({ model }) => models.includes(model)).map(({ name }) => name)
  const int8 = namesOf(['resnet50-int8']).filter((name) => !name.startsWith('openvino'))
  return [
    ...brokenAnswers(turns, namesOf(['resnet50']), base.name),
    ...brokenAnswers(turns, int8, 'onnxruntime-resnet50-int8-1'),
  ]
}
