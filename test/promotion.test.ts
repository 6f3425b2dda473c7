import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { appendAudit } from '../comparator/store/audit/audit.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { lockRouting } from '../comparator/store/promotion/promotions.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'

let comparator: TestComparator

const names = ['good', 'bad', 'moving', 'two', 'guarded', 'forced', 'kept']
beforeAll(async () => {
  comparator = await startTestComparator(
    names.map((name) => ({
      ...classification,
      name,
      approvals: name === 'two' ? 2 : 1,
      // these are ended on their first step, however slow the machine
      ...(['two', 'guarded'].includes(name) && { rollout: { steps: [10, 100], stepDuration: '60s' } }),
    })),
  )
})
afterAll(() => comparator?.close())

const { call, gateOf, stateOf, promote, auditOf } = promoting(() => comparator)

describe('the gate', () => {
  test('passes on enough good evidence, with its arithmetic', async () => {
    await comparator.post(evidence('good', { wrong: 0.01 }))
    const gate = await gateOf('good')
    expect(gate).toMatchObject({ verdict: 'pass', window: { samplesMin: 300 } })
    const agreement = gate.checks.find((check: { metric: string }) => check.metric === 'agreement')
    expect(agreement.estimate).toBeCloseTo(0.99, 2)
    expect(agreement.lower).toBeGreaterThan(0.9)
    expect(agreement.text).toMatch(/0\.9/)
    expect((await gateOf('good')).id).toBe(gate.id)
  })

  test('fails on bad evidence and its promotion is refused', async () => {
    await comparator.post(evidence('bad', { wrong: 0.3 }))
    expect((await gateOf('bad')).verdict).toBe('fail')
    expect(await promote('bad')).toMatchObject({ status: 409, body: { code: 'GATE_NOT_PASSED' } })
    expect((await stateOf('bad')).state).toBe('observing')
  })
})

describe('a promotion', () => {
  test('is refused on an evaluation that no longer holds', async () => {
    await comparator.post(evidence('moving', { until: Date.now() - 1000 }))
    const passed = await gateOf('moving')
    expect(passed.verdict).toBe('pass')

    await comparator.post(evidence('moving', { seconds: 1, wrong: 1, version: '2', until: Date.now() }))
    const body = { gateId: passed.id, comment: 'too late' }
    expect(await call('POST', '/v1/validations/moving/promotion', body)).toMatchObject({
      status: 409,
      body: { code: 'GATE_STALE' },
    })
    const other = { gateId: (await gateOf('good')).id, comment: 'of another' }
    expect(await call('POST', '/v1/validations/moving/promotion', other)).toMatchObject({ status: 404 })
  })

  test('moves live traffic in steps, and a rollback brings it back at once', async () => {
    const routing = async () => (await call('GET', '/v1/routing', undefined, tokens.ingest)).body
    const before = await routing()
    const { status, body: promotion } = await promote('good')
    expect(status).toBe(201)
    expect(promotion).toMatchObject({ state: 'rollingOut', requestedBy: 'ana', livePercent: 10 })
    expect((await routing()).validations.good).toEqual({ state: 'rollingOut', livePercent: 10, reverseShadow: true })
    expect((await routing()).version).toBeGreaterThan(before.version)
    expect(await promote('good')).toMatchObject({ status: 409, body: { code: 'PROMOTION_UNDER_WAY' } })

    const done = await waitFor(
      'it to be promoted',
      () => stateOf('good'),
      ({ state }) => state === 'promoted',
    )
    expect(done.livePercent).toBe(100)
    const back = await call('POST', `/v1/promotions/${promotion.id}/rollback`, { comment: 'enough' })
    expect(back.body).toMatchObject({ state: 'rolledBack', livePercent: 0 })
    expect((await routing()).validations.good).toMatchObject({ state: 'rolledBack', livePercent: 0 })
    expect(await call('POST', `/v1/promotions/${promotion.id}/rollback`, {})).toMatchObject({
      status: 409,
      body: { code: 'PROMOTION_STATE' },
    })
  })

  test('waits for as many different approvers as configured', async () => {
    await comparator.post(evidence('two'))
    const { body: promotion } = await promote('two')
    expect(promotion).toMatchObject({ state: 'requested', approvalsNeeded: 2, livePercent: 0 })
    const again = await call('POST', `/v1/promotions/${promotion.id}/approve`, { comment: 'me again' })
    expect(again.body).toMatchObject({ state: 'requested' })
    expect((await auditOf('two')).map(({ action }: { action: string }) => action)).toEqual(['promotion.request'])
    const { entries } = (await call('GET', '/v1/audit?after=0&limit=200&validation=two')).body
    expect(entries.map(({ validation }: { validation: string }) => validation)).toEqual(['two'])
    const second = await call('POST', `/v1/promotions/${promotion.id}/approve`, { comment: 'agreed' }, tokens.second)
    expect(second.body).toMatchObject({ state: 'rollingOut' })
    expect(second.body.approvals.map(({ by }: { by: string }) => by)).toEqual(['ana', 'ben'])
    expect((await call('POST', `/v1/promotions/${promotion.id}/abort`, {})).body).toMatchObject({ state: 'aborted' })
    expect(await stateOf('two')).toMatchObject({ state: 'rolledBack', livePercent: 0 })
  })

  test('that is rejected moves nothing', async () => {
    const { body: promotion } = await promote('two')
    expect(promotion.state).toBe('requested')
    const { body } = await call('POST', `/v1/promotions/${promotion.id}/reject`, { comment: 'not on a Friday' })
    expect(body.state).toBe('rejected')
    expect(await stateOf('two')).toMatchObject({ state: 'rejected', livePercent: 0 })
  })

  test('is in the audit, of which only the last page names no next one', async () => {
    const pageOf = async (limit: number, more = '') =>
      (await call('GET', `/v1/audit?validation=two&limit=${limit}${more}`)).body
    const { entries, nextCursor } = await pageOf(100)
    expect(nextCursor).toBeNull()
    expect(await pageOf(entries.length)).toEqual({ entries, nextCursor: null })
    const first = await pageOf(entries.length - 1)
    expect(await pageOf(1, `&cursor=${first.nextCursor}`)).toEqual({ entries: entries.slice(-1), nextCursor: null })
  })

  test('is listed by validation, newest first, and while it has live traffic', async () => {
    const statesOf = async (query: string) =>
      (await call('GET', `/v1/promotions?${query}`)).body.promotions.map(({ state }: { state: string }) => state)
    expect(await statesOf('validation=two')).toEqual(['rejected', 'aborted'])
    expect(await statesOf('limit=2')).toEqual(['rejected', 'aborted'])
    expect(await statesOf('live=true')).toEqual([])
  })

  test('is on the timeline of its validation with what it moved', async () => {
    const movesOf = async (name: string) =>
      (await call('GET', `/v1/validations/${name}/timeline`)).body.events.map(
        ({ label, text }: { label: string; text: string }) => [label, text],
      )
    expect(await movesOf('good')).toEqual([
      ['10 %', '10 % of live traffic moved to the candidate'],
      ['100 %', '100 % of live traffic moved to the candidate'],
      ['promoted', 'Promoted: 100 % of live traffic stays on the candidate'],
      ['rolled back', 'Rolled back by ana: enough'],
    ])
    expect(await movesOf('two')).toEqual([
      ['10 %', '10 % of live traffic moved to the candidate'],
      ['aborted', 'Aborted by ana'],
    ])
  })

  test('is found in the audit by who acted on it', async () => {
    const entriesOf = async (query: string) => (await call('GET', `/v1/audit?limit=500${query}`)).body.entries
    const all: { actor: string; action: string; validation: string }[] = await entriesOf('')
    const bens = all.filter(({ actor }) => actor === 'ben')
    expect(bens.map(({ action }) => action)).toEqual(['rollout.step', 'promotion.approve'])
    expect(await entriesOf('&actor=ben')).toEqual(bens)
    expect(await entriesOf('&actor=ben&after=0')).toEqual(bens.toReversed())
    const sorted = (names: string[]) => [...new Set(names)].sort()
    expect((await call('GET', '/v1/audit/overview')).body).toMatchObject({
      chain: { entries: all.length, broken: null },
      actors: sorted(all.map(({ actor }) => actor)),
      validations: sorted(all.map(({ validation }) => validation)),
    })
  })

  test.skipIf(!process.env.DATABASE_URL)(
    'waits for another that moves traffic, without the two waiting for each other in a circle',
    async () => {
      const { body: promotion } = await promote('two')
      const { db, close } = await openDatabase(comparator.database.url)
      onTestFinished(close)
      const approved = await db.transaction().execute(async (tx) => {
        await lockRouting(tx)
        const approving = call('POST', `/v1/promotions/${promotion.id}/approve`, { comment: 'agreed' }, tokens.second)
        await sleep(500) // enough to reach its first lock
        await appendAudit(tx, { at: new Date(), actor: 'x', role: 'admin', action: 'x', validation: null, details: {} })
        return { approving }
      })
      expect((await approved.approving).body).toMatchObject({ state: 'rollingOut' })
      expect((await call('POST', `/v1/promotions/${promotion.id}/abort`, {})).body).toMatchObject({ state: 'aborted' })
    },
  )

  test('can be aborted quickly, without any body', async () => {
    for (const none of [undefined, '']) {
      // the second has a JSON content type as well
      const { body: promotion } = await promote('two')
      const { status, body } = await call('POST', `/v1/promotions/${promotion.id}/abort`, none)
      expect([status, body.state]).toEqual([200, 'aborted'])
    }
  })

  test('refuses unknown fields: a misspelt one would be signed without effect', async () => {
    const { body: gate } = await call('GET', '/v1/validations/two/gate')
    const request = { gateId: gate.id, coment: 'seen' }
    expect(await call('POST', '/v1/validations/two/promotion', request)).toMatchObject({
      status: 400,
      body: { message: 'coment: expected no such member; there are comment, gateId, override' },
    })
    const { body: promotion } = await promote('two')
    const act = (action: string, body: object) =>
      call('POST', `/v1/promotions/${promotion.id}/${action}`, body, tokens.second)
    expect(await act('approve', { gateID: gate.id })).toMatchObject({
      status: 400,
      body: { message: 'gateID: expected no such member; there are comment, gateId, override' },
    })
    for (const action of ['reject', 'abort', 'rollback']) {
      expect(await act(action, { gateId: gate.id })).toMatchObject({
        status: 400,
        body: { message: 'gateId: expected no such member; there are comment' },
      })
    }
    expect((await act('abort', {})).body).toMatchObject({ state: 'aborted' })
  })

  test('rolls itself back if its gate fails on the way', async () => {
    await comparator.post(evidence('guarded', { until: Date.now() - 30_000 }))
    const { body: promotion } = await promote('guarded')
    expect(promotion.state).toBe('rollingOut')
    await comparator.post(evidence('guarded', { wrong: 0.8, until: Date.now() + 75_000 })) // a whole window of it
    const after = await waitFor(
      'the end of the rollout',
      () => stateOf('guarded'),
      ({ state }) => state !== 'rollingOut',
    )
    expect(after).toMatchObject({ state: 'rolledBack', livePercent: 0 })
    const { body: audit } = await call('GET', '/v1/audit?limit=20')
    expect(
      audit.entries.find((entry: { action: string; validation: string }) => entry.validation === 'guarded'),
    ).toMatchObject({
      actor: 'understudy',
      role: 'system',
      action: 'promotion.rollback',
    })
  })

  test('against the gate is a separate action for admins, with a reason', async () => {
    await comparator.post(evidence('forced', { wrong: 0.3 }))
    expect(await promote('forced', { override: true })).toMatchObject({ status: 403 })
    expect(await promote('forced', { override: true, comment: ' ' }, tokens.admin)).toMatchObject({ status: 400 })
    const { status, body } = await promote('forced', { override: true, comment: 'the GPUs are gone' }, tokens.admin)
    expect([status, body.override]).toEqual([201, true])
    const { body: audit } = await call('GET', '/v1/audit?limit=50')
    expect(audit.entries.find((entry: { action: string }) => entry.action === 'promotion.override')).toMatchObject({
      actor: 'root',
      details: { verdict: 'fail', comment: 'the GPUs are gone' },
    })
    await waitFor(
      'it to be promoted',
      () => stateOf('forced'),
      ({ state }) => state === 'promoted',
    )
  })

  test('survives a restart of the comparator', async () => {
    await comparator.post(evidence('kept'))
    const { body: promotion } = await promote('kept')
    await comparator.restart()
    const after = await waitFor(
      'it to be promoted',
      () => stateOf('kept'),
      ({ state }) => state === 'promoted',
    )
    expect(after.promotion.id).toBe(promotion.id)
    expect(after.window.samples).toBeGreaterThan(300)
  })
})

describe('the routing', () => {
  test('is a long poll: it waits for a change, and answers 304 without one', async () => {
    const first = await call('GET', '/v1/routing', undefined, tokens.ingest)
    const headers = { 'if-none-match': first.headers.get('etag')! }
    const poll = (wait: string) => comparator.call('GET', `/v1/routing?wait=${wait}`, { token: tokens.ingest, headers })
    expect((await poll('0s')).status).toBe(304)
    expect((await poll('50ms')).status).toBe(304)
    const any = { token: tokens.ingest, headers: { 'if-none-match': '*' } }
    const asked = performance.now()
    expect((await comparator.call('GET', '/v1/routing?wait=20s', any)).status).toBe(304)
    expect(performance.now() - asked).toBeLessThan(10_000)
    const waiting = poll('20s')
    const { promotion } = await stateOf('kept')
    await call('POST', `/v1/promotions/${promotion.id}/rollback`, { comment: 'wake up' })
    const answer = await waiting
    expect(answer.status).toBe(200)
    expect(answer.body.validations.kept.livePercent).toBe(0)
  })
})
