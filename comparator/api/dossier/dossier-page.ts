import type { Dossier } from '../../../vocabulary/api/dossier.ts'
import type { CheckResult, GateEvaluation } from '../../../vocabulary/api/gate.ts'
import type { PromotionState } from '../../../vocabulary/api/promotion.ts'
import { sizeClasses, sizeWords } from '../../../vocabulary/size-class.ts'
import type { Verdict } from '../../../vocabulary/verdict.ts'
import { limitText } from '../../dashboard/src/format/limit-text.ts'
import { formatCount, formatShare } from '../../dashboard/src/format/number.ts'
import { formatUtc } from '../../dashboard/src/format/time.ts'
import { reasonWords } from '../../dashboard/src/format/words.ts'
import { checkInfo } from '../../dashboard/src/metrics/metric-info.ts'
import { checkFigures } from '../../dashboard/src/verdict/check-words.ts'
import { recentSentence } from '../../dashboard/src/verdict/recent-words.ts'
import { verdictSentence } from '../../dashboard/src/verdict/verdict-sentence.ts'
import { type Content, drawn, html } from '../html.ts'
import { barHatch, checkBar, dossierCharts } from './dossier-charts.ts'
import { dossierStyle } from './dossier-style.ts'

/** A dossier as one self-contained HTML page, for screen and paper. */
export function dossierPage(dossier: Dossier): string {
  const { promotion, evaluation, models, audit } = dossier
  const { window } = evaluation
  const charts = dossierCharts(dossier)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${promotion.validation}: dossier of promotion ${promotion.id}</title>
<style>${drawn(dossierStyle)}</style>
</head>
<body>
<header>
<p class="kicker">Dossier of promotion <code>${promotion.id}</code>, as of ${formatUtc(dossier.generatedAt)}</p>
<h1>${promotion.validation}</h1>
<p class="conclusion">${conclusion(dossier)}</p>
${promotion.override ? overrideMark(dossier) : ''}
</header>
<main>
${section(
  'Decision',
  promotion.comment === '' ? '' : html`<blockquote>${promotion.comment}</blockquote>`,
  html`<h3>Approvals</h3>`,
  table(
    ['Who', 'When', 'Comment', 'Evaluation seen', 'Counts'],
    dossier.approvals.map(({ by, at, comment, gateId, counts }) => [
      by,
      whole(formatUtc(at)),
      comment,
      html`<code>${gateId}</code>`,
      counts ? 'yes' : 'no',
    ]),
  ),
  html`<p class="muted">${promotion.approvalsNeeded} needed.</p>`,
)}
${section(
  'Gate',
  facts([
    ['Verdict', word(evaluation.verdict)],
    ['Reason', verdictSentence(evaluation)],
    ['Evaluation', html`<code>${evaluation.id}</code>, ${formatUtc(evaluation.at)}`],
    [
      'Input digest',
      html`<code>${evaluation.inputs?.digest ?? dossier.judgedAtRequest?.inputs?.digest ?? 'not kept'}</code>`,
    ],
  ]),
  checks(evaluation),
)}
${charts.length === 0 ? '' : section('Evidence over the window', html`<div class="charts">${charts}</div>`)}
${section(
  'What was compared',
  facts([
    ['Window', window.from && window.to ? `${formatUtc(window.from)} to ${formatUtc(window.to)}` : 'none'],
    ['Samples', `${formatCount(window.samples)}, at least ${formatCount(window.samplesMin)} needed`],
    ['Coverage', `${share(window.coverage)}, at least ${share(window.coverageMin)} needed`],
    ['Primary', models.primary.version ?? 'version unknown'],
    ["Primary's digest", html`<code>${models.primary.digest ?? 'not reported'}</code>`],
    ['Candidate', models.candidate.version ?? 'version unknown'],
    ["Candidate's digest", html`<code>${models.candidate.digest ?? 'not reported'}</code>`],
  ]),
  exclusions(dossier),
)}
${
  dossier.judgedAtRequest
    ? section(
        'Gate at the request',
        facts([
          ['Verdict', word(dossier.judgedAtRequest.verdict)],
          ['Reason', verdictSentence(dossier.judgedAtRequest)],
          ['Evaluation', html`<code>${dossier.judgedAtRequest.id}</code>, ${formatUtc(dossier.judgedAtRequest.at)}`],
        ]),
        checks(dossier.judgedAtRequest),
      )
    : ''
}
${section(
  'History',
  table(
    ['When', 'Who', 'What', 'Live', 'Comment', 'Live gate'],
    dossier.history.map(({ at, actor, action, livePercent, comment, live }) => [
      whole(formatUtc(at)),
      actor,
      whole(action),
      livePercent === null ? '' : whole(`${livePercent} %`),
      comment,
      liveWords(live),
    ]),
  ),
)}
${section(
  'Policy',
  facts([['SHA-256', html`<code>${dossier.policyDigest}</code>`]]),
  html`<pre>${JSON.stringify(dossier.policy, null, 2)}</pre>`,
)}
${section(
  'Audit',
  html`<p>${audit.entriesHold ? 'Every entry’s hash matches its content.' : html`<strong>An entry was altered: its hash does not match its content.</strong>`}</p>`,
  table(
    ['Id', 'When', 'Who', 'Role', 'What', 'Hash'],
    audit.entries.map(({ id, at, actor, role, action, hash }) => [
      whole(String(id)),
      whole(formatUtc(at)),
      actor,
      whole(role),
      whole(action),
      html`<code>${hash}</code>`,
    ]),
  ),
)}
</main>
${barHatch}
<footer>${audit.head ? html`The newest entry in the whole audit is ${audit.head.id}, <code>${audit.head.hash}</code>. ` : ''}Check the whole chain with <code>understudy audit verify --expect ${audit.head?.hash ?? ''}</code></footer>
</body>
</html>
`.text
}

const outcomes: Record<PromotionState, string> = {
  requested: 'It awaits approval.',
  rollingOut: 'It is rolling out.',
  promoted: 'It is live.',
  rejected: 'It was rejected; no live traffic moved.',
  aborted: 'It was aborted; the primary answers.',
  rolledBack: 'It was rolled back; the primary answers.',
}

function conclusion({ promotion, approvals, evaluation }: Dossier): Content {
  const { requestedBy, requestedAt, state, livePercent } = promotion
  const others = approvals.filter(({ by, counts }) => counts && by !== requestedBy).map(({ by }) => by)
  const live = livePercent > 0 ? ` The candidate answers ${livePercent} % of live traffic.` : ''
  return html`${requestedBy} asked to promote the candidate on ${formatUtc(requestedAt)}, when the gate’s verdict was ${word(evaluation.verdict)}${others.length > 0 ? html`; ${others.join(', ')} approved` : ''}. ${outcomes[state]}${live}`
}

function overrideMark({ promotion, evaluation }: Dossier): Content {
  return html`<p class="override"><strong>Signed against the gate</strong> by ${promotion.requestedBy}, whose role allows it. The verdict was ${evaluation.verdict}: ${verdictSentence(evaluation)}</p>`
}

function section(title: string, ...contents: Content[]) {
  return html`<section><h2>${title}</h2>${contents}</section>`
}

function facts(rows: [string, Content][]) {
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

function table(head: string[], rows: Content[][]) {
  // a region that may scroll sideways must be reachable by keyboard
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Table: ${head.join(', ')}"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, column) => html`<td data-label="${head[column]!}">${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

function exclusions({ exchanges }: Dossier): Content {
  if (!exchanges) return html`<p>This evaluation kept no record of what was left out.</p>`
  const reasons = Object.entries(exchanges.skipped)
  return html`<h3>Left out</h3>
${
  reasons.length === 0
    ? html`<p>Nothing: ${formatCount(exchanges.compared)} exchanges were compared.</p>`
    : table(
        ['Reason', 'Exchanges'],
        reasons.map(([reason, count]) => [reasonWords(reason), formatCount(count)]),
      )
}
<h3>By request size</h3>
${table(
  ['Size', 'Compared', 'Left out'],
  // jsonb does not keep the order of keys
  sizeClasses.flatMap((size) => {
    const counts = exchanges.bySizeClass[size]
    return counts ? [[sizeWords[size], formatCount(counts.compared), formatCount(counts.skipped)]] : []
  }),
)}`
}

const order: Record<Verdict, number> = { fail: 0, inconclusive: 1, pass: 2 }

/** Failed checks first, then inconclusive, then passed ones, as on the dashboard. */
function checks(evaluation: GateEvaluation): Content {
  const sorted = evaluation.checks.toSorted(
    (a, b) => Number(a.reportOnly) - Number(b.reportOnly) || order[a.verdict] - order[b.verdict],
  )
  return html`<h3>Checks</h3><div class="checks">${sorted.map(oneCheck)}</div>`
}

function oneCheck(check: CheckResult): Content {
  const info = checkInfo(check)
  const { estimate, bound } = checkFigures(check)
  const slice = check.slice === undefined ? '' : ` · ${check.slice}`
  const recent = check.verdict === 'pass' ? recentSentence(check) : null
  return html`<div class="check">
<div>${word(check.verdict)}${check.reportOnly ? html`<p>report only</p>` : ''}</div>
<div><strong>${info.label}</strong><code>${check.metric}${slice}</code><p>${check.text}</p>${recent === null ? '' : html`<p>${recent}</p>`}</div>
<div>${checkBar(check)}<p>${estimate}, ${bound === 'exact' ? bound : whole(`bound ${bound}`)}, ${whole(`limit ${limitText(check.limit, info.unit)}`)}, ${whole(`n ${formatCount(check.n)}`)}</p></div>
</div>`
}

/** Text that is not to be broken over lines. */
function whole(text: string): Content {
  return html`<span class="whole">${text}</span>`
}

function word(verdict: Verdict): Content {
  return html`<span class="word word-${verdict}">${verdict}</span>`
}

function liveWords(live: unknown): Content {
  if (live === null || typeof live !== 'object') return ''
  const { verdict, reason, samples } = live as { verdict?: string; reason?: string; samples?: number }
  return `${verdict ?? ''} on ${formatCount(samples ?? 0)} ${samples === 1 ? 'answer' : 'answers'}: ${reason ?? ''}`
}

const share = (value: number | null) => (value === null ? 'none' : formatShare(value))
