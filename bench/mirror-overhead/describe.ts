import type { BenchResult } from '../bench.ts'
import { requestBody, responseBody } from '../payload.ts'
import { preliminarySentence } from '../processes/other-processes.ts'
import { bodyBufferBytes } from '../sides/nginx.ts'
import { shadowDeadlineMs } from '../sides/side.ts'
import { figure, percent, ratio } from '../table.ts'
import { findings } from './findings.ts'
import { goalsTable } from './goals.ts'
import { labels } from './labels.ts'
import type { FixedRateOutcome } from './measure-fixed-rate.ts'
import type { SaturatedOutcome } from './measure-saturated.ts'
import { fixedRateOf, type Measured, type MeasuredPayload, saturatedOf } from './measured.ts'
import type { Rounds } from './plan.ts'
import { ourSides } from './start.ts'
import { accountTable, fixedRateTable, saturatedTable, sizesTable } from './tables.ts'

const howCompared =
  'Two sides are compared turn by turn, where they ran within seconds of each other; the median turn counts (lowest–highest).'

export function describeOverhead(measured: Measured): BenchResult {
  const { stage, main, others, loaders } = measured
  const { payload } = main.plan
  const preliminary = preliminarySentence(measured.othersShare)
  const aboutGoals = [...(preliminary === undefined ? [] : [preliminary]), howCompared]
  const markdown = `## What does the mirror cost in front of an app server?

${goalsTable(measured)}

${aboutGoals.join(' ')}

${findings(measured)}

**Measured on** ${stage.machine}.

### ${payload.name}, at saturation

${payload.connections} connections, each sending its next request as soon as it has its response. ${rounds(main.saturated, main.plan.saturated)}

${saturatedTable(main)}

“CPU a request” is the proxy's own, with what it does after the client has its response (shadow request, delivery); it says what the proxy costs where load generator and backends are the limit, as they are wherever “proxy's CPU busy” is well below 100 %.

### ${payload.name}, at ${payload.requestsPerSecond} requests/s

Latency counts from the intended arrival, so waiting for a free connection is part of it. Each figure is the median of the rounds' own quantiles. “Load late” is how much later than intended the load generator itself was: a p99 that is not well above it is the generator's, not the proxy's. ${rounds(main.fixedRate, main.plan.fixedRate)}

${fixedRateTable(main)}

### ${payload.name}, what was really mirrored

${accountTable(main)}

For our mirror these are the exchanges of its own ledger (\`GET /ledger\` on the admin port): delivered to the comparator as an observation (that of a candidate that hangs says \`timedOut\`), or skipped with the reason. nginx keeps no account: for it they are the requests that the candidate received; its answers are thrown away.

### Other sizes

${others.map(conditions).join(' · ')}. The larger the bodies, the fewer connections and the lower the rate that load generator, primary, candidate and comparator can carry on the CPU that they share. Medians over ${others[0]!.saturated.rounds} round${others[0]!.saturated.rounds === 1 ? '' : 's'}.

${sizesTable(others)}

nginx reads a whole request before it passes it on, our mirror streams it.

### Set-up

- Each request is a POST of JSON, as long as its heading says (${payload.name} are ${requestBody(payload.requestBytes).length} bytes), the response ${responseBody.length} bytes of JSON, checked byte for byte. All on loopback.
- Primary and candidate are two processes of the same bare \`node:http\` server that answers at once; the hung candidate accepts and never answers; the comparator accepts every observation at once.
- ${stage.pinning.sentence}
- ${stage.nginxVersion === undefined ? 'nginx is not installed on this machine, so its sides are missing.' : `nginx: one worker, upstream keep-alive, access log off, the same ${shadowDeadlineMs} ms limit for a shadow request as our mirror has, and \`client_body_buffer_size\` ${bodyBufferBytes / 1024 ** 2} MiB, so that no body goes to a file.`}
- Our mirror: started by \`understudy mirror --config FILE\`, \`capture.bodyMax\` at 8 MiB (1 MiB by default, beyond which a body is forwarded and not mirrored) and \`capture.memoryMax\` at 512 MiB, every limit but these at its default, with the forwarder \`wire\` except where a side says otherwise. It captures both legs of every exchange in the share and delivers observations; the sides differ in their candidate's \`share\` alone.
- All proxies are up during the whole run and take turns; after each round a proxy is given the time to finish what is left before the next one starts.
- The load generator is our own, over bare sockets, with the primary on the same CPU: without a proxy it reached ${figure(loaders.ours)} requests/s in this run, autocannon in its place ${figure(loaders.autocannon)} (${ratio(loaders.autocannon, loaders.ours)}).

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
