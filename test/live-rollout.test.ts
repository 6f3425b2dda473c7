import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparatorSchema } from '../comparator/config.ts'
import { startComparator } from '../comparator/server.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { createLogger } from '../runtime/logger.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { classification, startTestComparator, type TestComparator, tokenConfig, tokens } from './support/comparator.ts'
import { evidence, promoting } from './support/promotions.ts'
import { decode } from './support/services.ts'

let comparator: TestComparator
const { call, stateOf, promote, act, auditOf, gateOf } = promoting(() => comparator)

const long = { steps: [10, 100], stepDuration: '60s' }
const short = { steps: [10, 100], stepDuration: '500ms' }
const validations = [
  { ...classification, name: 'failing', rollout: long },
  { ...classification, name: 'slow', rollout: { ...long, guard: { latencyP99Max: '100ms' } } },
  { ...classification, name: 'taken-over', rollout: long },
  { ...classification, name: 'unseen', rollout: { ...short, guard: { samplesMin: 30 } } },
  { ...classification, name: 'unjudged', rollout: long },
  { ...classification, name: 'swapped', rollout: long },
  { ...classification, name: 'forced', rollout: long },
  { ...classification, name: 'apart', approvals: 1, requesterApproves: false, rollout: long },
  { ...classification, name: 'against', approvals: 1, requesterApproves: false, rollout: long },
  { ...classification, name: 'later', approvals: 2, rollout: long },
  { ...classification, name: 'quick', rollout: long },
]

beforeAll(async () => {
  comparator = await startTestComparator(validations)
})
afterAll(() => comparator?.close())

/** Each test begins with evidence of its own time: live answers long after it would leave a gap in the window. */
const passing = async (name: string) => expect(await comparator.post(evidence(name))).toMatchObject({ rejected: [] })

type Change = (one: ReturnType<typeof evidence>[number], i: number) => void

/** Five seconds of live answers, dated ahead so that they belong to the current step. */
async function liveAnswers(
  name: string,
  change: Change = () => {},
  { live = 'candidate' as 'primary' | 'candidate', aheadMs = 6000 } = {},
) {
  const answers = evidence(name, { seconds: 5, until: Date.now() + aheadMs, live })
  answers.forEach(change)
  expect(await comparator.post(answers)).toMatchObject({ accepted: answers.length })
}

const rolledBack = (name: string) =>
  waitFor(
    `${name} to be rolled back`,
    () => stateOf(name),
    ({ state }) => state === 'rolledBack',
  )

describe('a step of a rollout', () => {
  test('ends at once if clients get errors that the primary would not have given them', async () => {
    await passing('failing')
    const { body: promotion } = await promote('failing')
    expect(promotion.state).toBe('rollingOut')
    await liveAnswers('failing', (one, i) => {
      if (i % 4 === 0) one.candidate = { kind: 'answered', status: 500, totalMs: 5, version: '1' }
    })
    expect(await rolledBack('failing')).toMatchObject({ livePercent: 0 })
    const [ending] = await auditOf('failing')
    expect(ending).toMatchObject({
      actor: 'understudy',
      role: 'system',
      action: 'promotion.rollback',
      details: {
        promotion: promotion.id,
        comment: expect.stringContaining('errorRate.delta'),
        live: { verdict: 'fail' },
      },
    })
  })

  test('ends at once if clients wait too long, while the window as a whole still passes', async () => {
    await passing('slow')
    await promote('slow')
    await liveAnswers('slow', (one) => Object.assign(one.candidate, { totalMs: 400, ttfbMs: 400 }))
    await rolledBack('slow')
    expect((await gateOf('slow')).verdict).toBe('pass')
    expect((await auditOf('slow'))[0].details.comment).toContain('latency.candidate.p99')
  })

  test('ends if the primary has to take over where the candidate fails', async () => {
    await passing('taken-over')
    await promote('taken-over')
    await liveAnswers(
      'taken-over',
      (one, i) => {
        if (i % 3 === 0) one.candidate = { kind: 'refused', totalMs: 1 }
      },
      { live: 'primary' },
    )
    await rolledBack('taken-over')
    expect((await auditOf('taken-over'))[0].details.comment).toMatch(/errorRate\.delta/)
  })

  test('is held if a mirror reports but there are no live answers, and continues with them', async () => {
    const mirrors = [{ validation: 'unseen', route: '/predictions/digits' }]
    await comparator.call('POST', '/v1/coverage', { body: { reports: [], mirrors } })
    await passing('unseen')
    await promote('unseen')
    await sleep(1600) // three of its steps
    const held = await stateOf('unseen')
    expect(held).toMatchObject({ state: 'rollingOut', livePercent: 10 })
    expect(held.promotion.liveGate).toMatchObject({ verdict: 'inconclusive', samples: 0 })
    const done = await waitFor(
      'it to be promoted',
      async () => {
        // again and again, as the next step may begin after the time of those before
        await passing('unseen')
        await liveAnswers('unseen', () => {}, { aheadMs: 20_000 })
        await sleep(500)
        return stateOf('unseen')
      },
      ({ state }) => state === 'promoted',
    )
    // the primary continues as the shadow, and the live gate continues to judge
    const { samples } = done.promotion.liveGate
    expect(samples).toBeGreaterThanOrEqual(30)
    await liveAnswers('unseen', (one, i) => {
      if (i % 2 === 0) one.candidate = { kind: 'answered', status: 500, totalMs: 5, version: '1' }
    })
    const after = await stateOf('unseen')
    expect(after).toMatchObject({ state: 'promoted', livePercent: 100 })
    expect(after.promotion.liveGate).toMatchObject({ verdict: 'fail', samples: samples + 50 })
  })

  test('ends on harm to clients even if the window cannot be judged', async () => {
    await passing('unjudged')
    const { body: promotion } = await promote('unjudged')
    await comparator.stop()
    const { db, close } = await openDatabase(comparator.database.url)
    await sql`
      update rollup set sums = 'not a rollup' where at < ${new Date(Date.now() - 10_000)} and window_id in (
        select id from evidence_window where validation = 'unjudged')`.execute(db)
    await close()
    await comparator.restart()
    expect((await call('GET', '/v1/validations/unjudged/gate')).status).toBe(500)
    await liveAnswers('unjudged', (one) => {
      one.candidate = { kind: 'reset', totalMs: 5 }
    })
    await waitFor(
      'it to be rolled back',
      () => call('GET', `/v1/promotions/${promotion.id}`),
      ({ body }) => body.state === 'rolledBack',
    )
  })

  test('ends if a model other than the approved one answers', async () => {
    await passing('swapped')
    await promote('swapped')
    await comparator.post(evidence('swapped', { seconds: 2, until: Date.now() + 3000, version: '2' }))
    await rolledBack('swapped')
    expect((await auditOf('swapped'))[0].details.comment).toContain('the candidate is now version 2 (was 1)')
  })

  test('ends on harm to clients even after an override', async () => {
    await passing('forced')
    const { body } = await promote('forced', { override: true, comment: 'at once' }, tokens.admin)
    expect(body).toMatchObject({ state: 'rollingOut', override: true })
    await liveAnswers('forced', (one) => {
      one.candidate = { kind: 'reset', totalMs: 5 }
    })
    await rolledBack('forced')
  })
})

describe('an approval', () => {
  test('of an override requires confirmation that it is one, whoever approves', async () => {
    await comparator.post(evidence('against', { wrong: 0.5 }))
    const { body: promotion } = await promote('against', { override: true, comment: 'we must' }, tokens.admin)
    expect(promotion).toMatchObject({ state: 'requested', override: true, approvals: [] })
    const unseen = await act(promotion.id, 'approve', { comment: 'seen' }, tokens.second)
    expect(unseen).toMatchObject({ status: 409, body: { code: 'GATE_NOT_PASSED' } })
    expect(unseen.body.message).toContain('"override": true')
    expect(await stateOf('against')).toMatchObject({ state: 'observing', livePercent: 0 })
    const knowing = await act(promotion.id, 'approve', { comment: 'seen', override: true }, tokens.second)
    expect(knowing.body).toMatchObject({ state: 'rollingOut', approvals: [{ by: 'ben' }] })
    const approval = (await auditOf('against')).find(({ action }: { action: string }) => action === 'promotion.approve')
    expect(approval.details).toMatchObject({ override: true, verdict: expect.not.stringMatching('pass') })
  })

  test('cannot be the requester’s own if the config requires another person', async () => {
    await passing('apart')
    const { body: promotion } = await promote('apart')
    expect(promotion).toMatchObject({ state: 'requested', approvals: [] })
    const own = await act(promotion.id, 'approve')
    expect(own).toMatchObject({ status: 403, body: { code: 'OWN_REQUEST' } })
    expect((await act(promotion.id, 'approve', {}, tokens.second)).body).toMatchObject({ state: 'rollingOut' })
  })

  test('is of the evaluation that the approver saw, which must still hold', async () => {
    await passing('later')
    const { body: promotion } = await promote('later')
    await comparator.post(evidence('later', { wrong: 1, until: Date.now() + 75_000 })) // a whole window of it
    const failing = await gateOf('later')
    expect(failing.verdict).toBe('fail')
    const approve = (body: object) => act(promotion.id, 'approve', body, tokens.second)
    expect(await approve({})).toMatchObject({ status: 409, body: { code: 'GATE_STALE' } })
    expect(await approve({ gateId: failing.id })).toMatchObject({ status: 409, body: { code: 'GATE_NOT_PASSED' } })
    const forcing = { gateId: failing.id, override: true }
    expect(await approve(forcing)).toMatchObject({ status: 409, body: { code: 'GATE_NOT_PASSED' } })
    const others = (await gateOf('apart')).id
    expect(await approve({ gateId: others })).toMatchObject({ status: 404 })
    expect((await stateOf('later')).state).toBe('observing')
  })
})

describe('a rollback', () => {
  /** `count` mirrors that long-poll: each one's answer, and when it came. */
  const waiting = (count: number, url: string, etag: string) => {
    const headers = { authorization: `Bearer ${tokens.ingest}`, 'if-none-match': etag }
    const one = async () => {
      const answer = await fetch(`${url}/v1/routing?wait=60s`, { headers })
      return { document: (await answer.json()) as any, at: performance.now() }
    }
    return Promise.all(Array.from({ length: count }, one))
  }

  async function expectTold(count: number, url: string, act: () => Promise<unknown>, validation: object) {
    const { headers } = await call('GET', '/v1/routing', undefined, tokens.ingest)
    const told = waiting(count, url, headers.get('etag')!)
    // answered after all of those have read what they know, and wait
    await fetch(`${url}/v1/routing`, { headers: { authorization: `Bearer ${tokens.ingest}` } })
    await act()
    // the second is that of the news, from its commit on
    const committedAt = performance.now()
    const answers = await told
    // without what the machine takes to answer as many that wait for nothing: a busy one, more than a second
    const askedAt = performance.now()
    await waiting(count, url, '')
    const answeringMs = performance.now() - askedAt
    for (const { document, at } of answers) {
      expect(document.validations.quick).toMatchObject(validation)
      expect(at - committedAt - answeringMs).toBeLessThan(1000)
    }
  }

  test('reaches every waiting mirror within a second', async () => {
    await passing('quick')
    const { body: promotion } = await promote('quick')
    const rollBack = () => act(promotion.id, 'rollback', { comment: 'now' })
    await expectTold(40, comparator.url, rollBack, { state: 'rolledBack', livePercent: 0 })
  })

  test.skipIf(!process.env.DATABASE_URL)('reaches the mirrors of another comparator within a second', async () => {
    await passing('quick')
    const { body: promotion } = await promote('quick')
    const other = await startComparator({
      config: decode(
        { listen: '127.0.0.1:0', database: comparator.database.url, tokens: tokenConfig, validations },
        'comparator',
        comparatorSchema,
      ) as Parameters<typeof startComparator>[0]['config'],
      logger: createLogger('test', 'error'),
    })
    try {
      await expectTold(10, other.url, () => act(promotion.id, 'abort', { comment: 'now' }), { livePercent: 0 })
    } finally {
      await other.stop()
    }
  })
})
