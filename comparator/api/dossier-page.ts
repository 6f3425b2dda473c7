import type { Dossier } from '../../vocabulary/dossier.ts'
import type { CheckResult } from '../../vocabulary/gate.ts'
import { type Content, html } from './html.ts'

/** A dossier as one page that needs nothing else, on a screen or on paper. */
export function dossierPage(dossier: Dossier): string {
  const { promotion, evaluation, models, audit } = dossier
  const { window } = evaluation
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${promotion.validation}: dossier of promotion ${promotion.id}</title>
<style>${style()}</style>
</head>
<body>
<header>
<h1>${promotion.validation}</h1>
<p>Dossier of promotion <code>${promotion.id}</code>, as of ${dossier.generatedAt}</p>
</header>
<main>
${section(
  'Decision',
  facts([
    ['State', promotion.state],
    ['Requested', `by ${promotion.requestedBy} at ${promotion.requestedAt}`],
    ['Comment', promotion.comment],
    ['Against the gate', promotion.override ? 'yes, as an override' : 'no'],
    ['Live traffic for the candidate', `${promotion.livePercent} %`],
  ]),
)}
${section(
  'Models',
  facts([
    ['Primary', models.primary.version ?? 'version unknown'],
    ['Candidate', models.candidate.version ?? 'version unknown'],
    ["Candidate's digest", models.candidate.digest ?? 'none was sent'],
  ]),
)}
${section(
  'Evidence',
  facts([
    ['Window', `${window.from ?? '–'} to ${window.to ?? '–'}`],
    ['Samples', `${window.samples}, at least ${window.samplesMin} needed`],
    ['Coverage', `${share(window.coverage)}, at least ${share(window.coverageMin)} needed`],
  ]),
  exclusions(dossier),
)}
${section(
  'Gate',
  facts([
    ['Verdict', evaluation.verdict],
    ['Reason', evaluation.reason],
    ['Evaluation', `${evaluation.id} at ${evaluation.at}`],
    ['Digest of its input', evaluation.inputs?.digest ?? dossier.judgedAtRequest?.inputs?.digest ?? 'not kept'],
  ]),
  checks(evaluation.checks),
)}
${
  dossier.judgedAtRequest
    ? section(
        'Gate at the request',
        facts([
          ['Verdict', dossier.judgedAtRequest.verdict],
          ['Reason', dossier.judgedAtRequest.reason],
          ['Evaluation', `${dossier.judgedAtRequest.id} at ${dossier.judgedAtRequest.at}`],
        ]),
        checks(dossier.judgedAtRequest.checks),
      )
    : ''
}
${section('Policy', facts([['SHA-256', dossier.policyDigest]]), html`<pre>${JSON.stringify(dossier.policy, null, 2)}</pre>`)}
${section(
  'Approvals',
  table(
    ['Who', 'When', 'Comment', 'Evaluation seen', 'Counts'],
    dossier.approvals.map(({ by, at, comment, gateId, counts }) => [by, at, comment, gateId, counts ? 'yes' : 'no']),
  ),
  html`<p>${promotion.approvalsNeeded} needed.</p>`,
)}
${section(
  'History',
  table(
    ['When', 'Who', 'What', 'Live', 'Comment', 'Live gate'],
    dossier.history.map(({ at, actor, action, livePercent, comment, live }) => [
      at,
      actor,
      action,
      livePercent === null ? '' : `${livePercent} %`,
      comment,
      live === null ? '' : JSON.stringify(live),
    ]),
  ),
)}
${section(
  'Audit',
  html`<p>${audit.entriesHold ? 'Each entry has the hash of its content.' : html`<strong>An entry was altered: its hash is not that of its content.</strong>`}
${audit.head ? html`The newest entry of the whole audit was ${audit.head.id}, <code>${audit.head.hash}</code>.` : ''}
Check the whole chain with <code>understudy audit verify --expect ${audit.head?.hash ?? ''}</code>.</p>`,
  table(
    ['Id', 'When', 'Who', 'Role', 'What', 'Hash'],
    audit.entries.map(({ id, at, actor, role, action, hash }) => [id, at, actor, role, action, hash]),
  ),
)}
</main>
</body>
</html>
`.text
}

function section(title: string, ...contents: Content[]) {
  return html`<section><h2>${title}</h2>${contents}</section>`
}

function facts(rows: [string, Content][]) {
  return html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

function table(head: string[], rows: Content[][]) {
  return html`<table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table>`
}

function exclusions({ exchanges }: Dossier): Content {
  if (!exchanges) return html`<p>What was left out was not kept with this evaluation.</p>`
  const reasons = Object.entries(exchanges.skipped)
  return html`<h3>Left out</h3>
${reasons.length === 0 ? html`<p>Nothing: ${exchanges.compared} exchanges were compared.</p>` : table(['Reason', 'Exchanges'], reasons)}
<h3>By size of request</h3>
${table(
  ['Size', 'Compared', 'Left out'],
  Object.entries(exchanges.bySizeClass).map(([size, { compared, skipped }]) => [size, compared, skipped]),
)}`
}

function checks(results: CheckResult[]): Content {
  return table(
    ['Metric', 'Verdict', 'Estimate', 'Lower', 'Upper', 'Limit', 'n', 'In words'],
    results.map(({ metric, verdict, estimate, lower, upper, limit, n, text, reportOnly }) => [
      metric,
      reportOnly ? `${verdict} (report only)` : verdict,
      estimate,
      lower,
      upper,
      [limit.min === undefined ? '' : `≥ ${limit.min}`, limit.max === undefined ? '' : `≤ ${limit.max}`]
        .join(' ')
        .trim(),
      n,
      text,
    ]),
  )
}

const share = (value: number | null) => (value === null ? 'none' : `${Number((value * 100).toFixed(2))} %`)

/** Fixed text of ours: nothing of a dossier goes in here. */
const style = () => html`
:root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h1 { margin-bottom: 0 } h2 { border-bottom: 1px solid #bbb; margin-top: 2rem }
dl { display: grid; grid-template-columns: 14rem 1fr; gap: .25rem 1rem } dt { color: #555 } dd { margin: 0 }
dd, td, code, pre { overflow-wrap: anywhere; white-space: pre-wrap }
table { border-collapse: collapse; width: 100%; font-size: .85rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #ddd }
pre { background: #f5f5f5; padding: 1rem; font-size: .8rem }
@media print { body { margin: 0; max-width: none } section, tr { break-inside: avoid } h2 { break-after: avoid } pre { background: none; border: 1px solid #bbb } @page { margin: 15mm } }
`
