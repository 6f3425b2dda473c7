import type { BenchResult } from '../bench.ts'
import { requestBody, responseBody } from '../load/payload.ts'
import { preliminarySentence } from '../processes/other-processes.ts'
import { figure, percent, ratio } from '../report/table.ts'
import { bodyBufferBytes } from '../sides/nginx.ts'
import { shadowDeadlineMs } from '../sides/side.ts'
import { findings, inShort } from './findings.ts'
import { goalsTable } from './goals.ts'
import { labels } from './labels.ts'
import type { FixedRateOutcome } from './measure-fixed-rate.ts'
import type { SaturatedOutcome } from './measure-saturated.ts'
import { fixedRateOf, type Measured, type MeasuredPayload, saturatedOf } from './measured.ts'
import type { Rounds } from './plan.ts'
import { ourSides } from './start.ts'
import { accountTable, fixedRateTable, saturatedTable, sizesTable } from './tables.ts'

const howCompared =
  'Each comparison takes two sides that ran within seconds of each other in the same turn; the median turn counts (lowest–highest).'

export function describeOverhead(measured: Measured): BenchResult {
  const { stage, main, others, loaders } = measured
  const { payload } = main.plan
  const preliminary = preliminarySentence(measured.othersShare)
  const aboutGoals = [...(preliminary === undefined ? [] : [preliminary]), howCompared]
  const markdown = `## What does the mirror cost in front of an app server?

**In short:** ${inShort(measured)}

${goalsTable(measured)}

${aboutGoals.join(' ')}

${findings(measured)}

**Measured on** ${stage.machine}.

### ${payload.name}, at saturation

${payload.connections} connections, each sending its next request as soon as it has its response. ${rounds(main.saturated, main.plan.saturated)}

${saturatedTable(main)}

“CPU a request” is the proxy's own, including what it does after the client has its response (shadow request, delivery). It says what the proxy costs even if the load generator or the backends are the limit, as they are wherever “proxy's CPU busy” is well below 100 %.

### ${payload.name}, at ${payload.requestsPerSecond} requests/s

Latency counts from the intended arrival, so it includes waiting for a free connection. Each figure is the median of the rounds' own quantiles. “Load late” is how late the load generator itself was: a p99 that is not well above it is the generator's, not the proxy's. ${rounds(main.fixedRate, main.plan.fixedRate)}

${fixedRateTable(main)}

### ${payload.name}, what was actually mirrored

${accountTable(main)}

For our mirror these are the exchanges in its own ledger (\`GET /ledger\` on the admin port): delivered to the comparator as an observation (\`timedOut\` if the candidate hangs), or skipped, with the reason. nginx keeps no such account: for it they are the requests that the candidate received, whose answers nginx discards.

### Other sizes

${others.map(conditions).join(' · ')}. With larger bodies, load generator, primary, candidate and comparator, which share a CPU, carry fewer connections and a lower rate. Medians over ${others[0]!.saturated.rounds} round${others[0]!.saturated.rounds === 1 ? '' : 's'}.

${sizesTable(others)}

nginx reads a request whole before it passes it on; our mirror streams it.

### Set-up

- Each request is a POST of JSON of the size in its heading (${payload.name} is ${requestBody(payload.requestBytes).length} bytes). The response is ${responseBody.length} bytes of JSON, checked byte for byte. Everything runs on loopback.
- Primary and candidate are two processes of the same bare \`node:http\` server, which answers at once. The hung candidate accepts and never answers. The comparator accepts every observation at once.
- ${stage.pinning.sentence}
- ${stage.nginxVersion === undefined ? 'nginx is not installed on this machine, so its sides are missing.' : `nginx: one worker, upstream keep-alive, access log off, the same ${shadowDeadlineMs} ms limit for a shadow request as our mirror has, and \`client_body_buffer_size\` ${bodyBufferBytes / 1024 ** 2} MiB, so that no body goes to a file.`}
- Our mirror: started by \`understudy mirror --config FILE\`, with \`capture.bodyMax\` at 8 MiB (by default 1 MiB, beyond which a body is forwarded and not mirrored), \`capture.memoryMax\` at 512 MiB, and all other limits at their defaults. The forwarder is \`wire\` unless a side says otherwise. The mirror captures both legs of every exchange in the share and delivers observations; the sides differ only in their candidate's \`share\`.
- All proxies are up during the whole run and take turns. After each round a proxy gets time to finish what is left before the next one starts.
- The load generator is our own, over bare sockets, on the primary's CPU. Without a proxy it reached ${figure(loaders.ours)} requests/s in this run; autocannon in its place reached ${figure(loaders.autocannon)} (${ratio(loaders.autocannon, loaders.ours)}).

To reproduce: \`npm ci && npx node bench/run.ts mirror-overhead\`; with \`--quick\` it prints the page after short rounds instead of writing it. Install nginx for its sides. Use an idle machine.
`
  return { markdown, broken: [main, ...others].flatMap(brokenPromises) }
}

function conditions({ plan }: MeasuredPayload): string {
  const { name, connections, requestsPerSecond } = plan.payload
  return `${name}: ${connections} connections at saturation, then ${requestsPerSecond} requests/s`
}

function rounds({ rounds: count, sides, unstable }: SaturatedOutcome | FixedRateOutcome, plan: Rounds): string {
  const taken = `${count} round${count === 1 ? '' : 's'} of ${plan.durationMs / 1000} s for each side, in turns; median (lowest–highest).`
  if (unstable.length === 0) return taken
  return `${taken} ${unstable.length} of ${sides.size} sides were not stable within ${percent(plan.stableRange)} when the rounds were used up.`
}

/** The mirror's first promise: nothing that happens behind it affects a client. */
function brokenPromises(payload: MeasuredPayload): string[] {
  return payload.sides.flatMap((name) => {
    if (!ourSides.includes(name)) return []
    const { errors, unanswered } = fixedRateOf(payload, name)
    const failed = saturatedOf(payload, name).errors + errors + unanswered
    const where = `${payload.plan.payload.name}, ${labels[name]}`
    return failed === 0 ? [] : [`${where}: ${failed} requests failed or were not answered`]
  })
}
