import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { parseHTML } from 'linkedom'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followChain } from '../comparator/store/audit/audit-chain.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { sizeWords } from '../vocabulary/size-class.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

const hostile = `</style><script>alert(1)</script><img src=x onerror="alert(2)">'"`
let comparator: TestComparator
const { call, promote, act } = promoting(() => comparator)
let id: string

beforeAll(async () => {
  comparator = await startTestComparator([
    { ...classification, name: 'filed', approvals: 2, rollout: { steps: [10, 100], stepDuration: '60s' } },
    { ...classification, name: 'forced', rollout: { steps: [10, 100], stepDuration: '60s' } },
  ])
  const observations = evidence('filed', { version: hostile })
  for (const one of observations) one.candidate.digest = 'sha256:abc'
  // few and far apart: ten in one bucket would leave errorRate.delta undecided
  for (const i of [50, 250, 450]) observations.at(-i)!.primary = { kind: 'timedOut', totalMs: 1000, version: '1' }
  await comparator.post(observations)
  const requested = await promote('filed', { comment: hostile })
  expect(requested.body).toMatchObject({ state: 'requested' })
  id = requested.body.id
  expect(await act(id, 'approve', { comment: 'agreed' }, tokens.second)).toMatchObject({ status: 200 })
  expect(await act(id, 'rollback', { comment: hostile })).toMatchObject({ status: 200 })
})
afterAll(() => comparator?.close())

const path = () => `/v1/promotions/${id}/dossier`

test('a dossier contains what the decision rested on and what came of it', async () => {
  const { status, body } = await call('GET', path(), undefined, tokens.viewer)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    promotion: { id, state: 'rolledBack', requestedBy: 'ana', comment: hostile },
    models: { primary: { version: '1' }, candidate: { version: hostile, digest: 'sha256:abc' } },
    policy: { confidence: 0.95, window: { samplesMin: 300 }, gate: classification.gate },
    evaluation: {
      verdict: 'pass',
      window: { samplesMin: 300 },
      inputs: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
    exchanges: { compared: expect.any(Number) },
    approvals: [
      { by: 'ana', counts: true },
      { by: 'ben', comment: 'agreed', counts: true },
    ],
  })
  expect(body.exchanges.compared).toBe(body.evaluation.window.samples)
  expect(Object.values(body.exchanges.skipped).reduce((a: any, b: any) => a + b, 0)).toBe(3)
  for (const check of body.evaluation.checks)
    expect(check).toMatchObject({ estimate: expect.any(Number), lower: expect.any(Number) })
  expect(body.history.map(({ action, livePercent }: any) => [action, livePercent])).toEqual([
    ['promotion.request', null],
    ['promotion.approve', null],
    ['rollout.step', 10],
    ['promotion.rollback', null],
  ])
  const chain = await followChain(async () => body.audit.entries)
  expect(chain).toMatchObject({ entries: body.audit.entries.length, broken: null })
  expect(body.audit).toMatchObject({ entriesHold: true, head: { hash: chain.head } })
})

test('is the same as a page, which is self-contained, and hostile names stay text', async () => {
  const answer = await comparator.call('GET', path(), { token: tokens.viewer, headers: { accept: 'text/html,*/*' } })
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const { document } = parseHTML(answer.body as string)
  expect(document.querySelectorAll('script, img, link, iframe, object, form, [src], [href], [onerror]').length).toBe(0)
  expect(document.querySelectorAll('style').length).toBe(1)
  expect(document.querySelector('style')!.textContent).toContain('@media print')
  expect(document.querySelectorAll('[style]').length).toBe(0)
  const style = /<style>(.*?)<\/style>/s.exec(answer.body as string)![1]!
  expect(answer.headers.get('content-security-policy')).toContain(
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  )
  expect(style).toContain('--candidate:') // the dashboard's own tokens
  const text = document.querySelector('main')!.textContent!
  for (const part of [hostile, 'sha256:abc', 'agreement', 'agreed', 'timed out', 'promotion.rollback', '10 %']) {
    expect(text).toContain(part)
  }
  // as on the dashboard: exact values have no bound, sizes are in words, and cells on a narrow page name their column
  expect(text).toMatch(/\d, exact, limit ≥\s300/)
  expect(text).not.toMatch(/bound (\S+( \S+)?) to \1,/)
  const cells = [...document.querySelectorAll('td')]
  const sizes = cells.filter((cell) => cell.getAttribute('data-label') === 'Size')
  expect(sizes.map(({ textContent }) => textContent)).toEqual(Object.values(sizeWords))
  expect(cells.filter((cell) => !cell.hasAttribute('data-label')).length).toBe(0)
  // a number must not be broken between its digits, however narrow the sheet is
  const ids = cells.filter((cell) => cell.getAttribute('data-label') === 'Id')
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.filter((cell) => cell.querySelector('.whole') === null)).toEqual([])
  const forced = await comparator.call('GET', `${path()}?format=html`, { token: tokens.viewer })
  expect(forced.headers.get('content-type')).toContain('text/html')
  const json = await comparator.call('GET', `${path()}?format=json`, {
    token: tokens.viewer,
    headers: { accept: 'text/html' },
  })
  expect(json.body.promotion.id).toBe(id)
})

test('needs a viewer, and an existing promotion', async () => {
  expect((await comparator.call('GET', path(), { token: tokens.ingest })).status).toBe(403)
  const nobody = '/v1/promotions/00000000-0000-7000-8000-000000000000/dossier'
  expect(await call('GET', nobody)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
})

test('draws what the gate judged, with the limit and both legs, as the dashboard does', async () => {
  const { body } = await call('GET', `${path()}?format=html`, undefined, tokens.viewer)
  const { document } = parseHTML(body as string)
  const titles = [...document.querySelectorAll('.charts .figure-title')].map(({ textContent }) => textContent)
  expect(titles).toEqual(['Agreement on the top label', 'Error rate, candidate − primary', 'Latency', 'Outputs'])
  const [agreement] = document.querySelectorAll('.charts svg.plot')
  expect(agreement!.querySelector('.mark-limit-text')!.textContent).toBe('limit 0.9')
  expect(agreement!.querySelector('.mark-drift path')!.getAttribute('d')).toMatch(/^M[\d.]+,[\d.]+L/)
  expect(document.querySelectorAll('svg.plot .mark-primary path').length).toBeGreaterThan(0)
  // a check's bar shows its bound and its limit
  expect(document.querySelectorAll('.check .interval-limit').length).toBeGreaterThanOrEqual(2)
  // and hatches the forbidden side, which is visible in print without colours
  expect(document.querySelector('.check .interval-track')!.getAttribute('fill')).toBe('url(#bar-hatch)')
  expect(document.querySelectorAll('pattern#bar-hatch').length).toBe(1)
})

test('a promotion signed against the gate is marked as such', async () => {
  await comparator.post(evidence('forced', { wrong: 0.5 }))
  const { body: forced } = await promote('forced', { override: true, comment: 'no other way' }, tokens.admin)
  const { body } = await call('GET', `/v1/promotions/${forced.id}/dossier?format=html`, undefined, tokens.viewer)
  const mark = parseHTML(body as string).document.querySelector('.override')!
  expect(mark.textContent).toMatch(
    /^Signed against the gate by root.*fail: Agreement on the top label is [\d.]+ to [\d.]+, wholly outside the limit/,
  )
  const { body: plain } = await call('GET', `${path()}?format=html`, undefined, tokens.viewer)
  expect(parseHTML(plain as string).document.querySelector('.override')).toBeNull()
})

test('counts the exchanges of a promotion whose gate an older version judged', async () => {
  const { exchanges, evaluation } = (await call('GET', path(), undefined, tokens.viewer)).body
  await comparator.stop()
  const { db, close } = await openDatabase(comparator.database.url)
  const row = db.selectFrom('gate_input').select('input').where('evaluation_id', '=', evaluation.id)
  const { range, ...others } = JSON.parse(gunzipSync((await row.executeTakeFirstOrThrow()).input).toString())
  const input = gzipSync(JSON.stringify({ ...others, range: { buckets: range.buckets, binGroups: [] } }))
  await db.updateTable('gate_input').set({ input }).where('evaluation_id', '=', evaluation.id).execute()
  await close()
  await comparator.restart()
  const { status, body } = await call('GET', path(), undefined, tokens.viewer)
  expect(status).toBe(200)
  expect(body.exchanges).toEqual(exchanges)
})

test('says so where an entry of its history was altered', async () => {
  const held = await call('GET', `${path()}?format=html`, undefined, tokens.viewer)
  expect(held.body).not.toContain('An entry was altered')
  await comparator.stop()
  const { db, close } = await openDatabase(comparator.database.url)
  await sql`alter table audit disable trigger all`.execute(db)
  await sql`update audit set actor = 'cleo' where action = 'promotion.approve'`.execute(db)
  await sql`alter table audit enable trigger all`.execute(db)
  await close()
  await comparator.restart()
  expect((await call('GET', path(), undefined, tokens.viewer)).body.audit).toMatchObject({ entriesHold: false })
  const altered = await call('GET', `${path()}?format=html`, undefined, tokens.viewer)
  expect(altered.body).toContain('An entry was altered')
})
