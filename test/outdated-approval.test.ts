import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import type { Observation } from '../vocabulary/observation.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { evidence, promoting } from './support/promotions.ts'

const slow = { ...classification, rollout: { steps: [10, 100], stepDuration: '1h' } }
const asked = ['version', 'file', 'forced'].map((name) => ({ ...slow, name, approvals: 2 }))
const live = ['candidate', 'primary', 'policy', 'unseen', 'learns'].map((name) => ({ ...slow, name }))

let database: TestDatabase
let comparator: TestComparator
beforeAll(async () => {
  database = await createTestDatabase()
  comparator = await startTestComparator([...asked, ...live], { database })
})
afterAll(() => comparator?.close())

const { call, gateOf, stateOf, promote, act } = promoting(() => comparator)

interface Models {
  primary?: Pick<Observation['primary'], 'version' | 'digest'>
  candidate?: Pick<Observation['candidate'], 'version' | 'digest'>
}
/** Evidence for a whole window in which both sides agree, `minutes` ago. */
async function observe(name: string, { primary, candidate }: Models, { minutes = 0, seconds = 70 } = {}) {
  const until = Date.now() - minutes * 60_000
  const all = evidence(name, { until, seconds })
  for (const one of all) {
    Object.assign(one.primary, primary)
    Object.assign(one.candidate, candidate)
  }
  expect(await comparator.post(all)).toMatchObject({ accepted: all.length })
}

test('approvals of two candidate versions do not add up', async () => {
  await observe('version', {}, { minutes: 2 })
  const { body: promotion } = await promote('version')
  expect(promotion.state).toBe('requested')
  expect(promotion.outdated).toBeUndefined()
  await observe('version', { candidate: { version: '2' } })
  const { id: gateId, verdict } = await gateOf('version')
  expect(verdict).toBe('pass')

  const refused = { status: 409, body: { code: 'GATE_STALE' } }
  const ofNow = await act(promotion.id, 'approve', { gateId }, tokens.second)
  expect(ofNow).toMatchObject(refused)
  expect(ofNow.body.message).toBe(
    'since the request, the candidate is now version 2 (was 1); close it and request promotion again on the current gate',
  )
  const ofThen = await act(promotion.id, 'approve', {}, tokens.second)
  expect(ofThen).toMatchObject(refused)
  expect(ofThen.body.message).toContain('the candidate is now version 2 (was 1); review the gate again')
  expect(await stateOf('version')).toMatchObject({
    state: 'observing',
    livePercent: 0,
    promotion: { state: 'requested', outdated: 'the candidate is now version 2 (was 1)', approvals: [{ by: 'ana' }] },
  })

  await act(promotion.id, 'abort')
  const { body: anew } = await promote('version')
  expect(anew.state).toBe('requested')
  expect((await act(anew.id, 'approve', {}, tokens.second)).body.state).toBe('rollingOut')
})

test('nor do those of two files with the same version', async () => {
  await observe('file', { candidate: { digest: 'sha256:aaa' } }, { minutes: 2 })
  const { body: promotion } = await promote('file')
  await observe('file', { candidate: { digest: 'sha256:bbb' } })
  const { id: gateId, verdict } = await gateOf('file')
  expect(verdict).toBe('pass')
  const { status, body } = await act(promotion.id, 'approve', { gateId }, tokens.second)
  expect([status, body.code]).toEqual([409, 'GATE_STALE'])
  expect(body.message).toContain("the candidate's model file is now bbb (was aaa)")
  // the request keeps stating the file that it was made for
  const { body: dossier } = await call('GET', `/v1/promotions/${promotion.id}/dossier`)
  expect(dossier.models.candidate).toEqual({ version: '1', digest: 'sha256:aaa' })
})

test('an override is also signed for the current models', async () => {
  await observe('forced', { primary: { digest: 'sha256:p' } }, { minutes: 2 })
  const seen = (await gateOf('forced')).id
  await observe('forced', { primary: { digest: 'sha256:q' } })
  const override = { override: true, comment: 'no other way' }
  const stale = await promote('forced', { ...override, gateId: seen }, tokens.admin)
  expect([stale.status, stale.body.code]).toEqual([409, 'GATE_STALE'])
  expect(stale.body.message).toContain("the primary's model file is now q (was p)")
  expect((await promote('forced', override, tokens.admin)).status).toBe(201)
})

const ended = async (name: string) => {
  await waitFor(
    `${name} to be rolled back`,
    () => stateOf(name),
    ({ state }) => state === 'rolledBack',
  )
  const { body } = await call('GET', `/v1/promotions?validation=${name}`)
  return body.promotions[0].end
}
const begin = async (name: string) => {
  await observe(name, { candidate: { digest: 'sha256:aaa' } }, { minutes: 2 })
  expect((await promote(name)).body.state).toBe('rollingOut')
}

test('a rollout is rolled back if another file answers under the same version', async () => {
  await begin('candidate')
  await observe('candidate', { candidate: { digest: 'sha256:bbb' } })
  expect(await ended('candidate')).toMatchObject({
    by: 'understudy',
    comment: "Since the approval, the candidate's model file is now bbb (was aaa).",
  })
})

test('a rollout is rolled back if the primary changes', async () => {
  await begin('primary')
  await observe('primary', { primary: { version: '2' } })
  expect((await ended('primary')).comment).toBe('Since the approval, the primary is now version 2 (was 1).')
})

test('a rollout continues if only previously unknown facts are learnt', async () => {
  await begin('learns')
  await observe('learns', { primary: { digest: 'sha256:p' } })
  const known = await waitFor(
    "the primary's model to be known",
    () => gateOf('learns'),
    ({ window }) => window.primaryDigest === 'sha256:p',
  )
  expect(known.window).toMatchObject({ candidateDigest: 'sha256:aaa' })
  expect(await stateOf('learns')).toMatchObject({ state: 'rollingOut' })
})

test('a rollout is rolled back if the policy it was approved under has changed', async () => {
  await begin('policy')
  // against the gate, before there was any evidence
  const forced = await promote('unseen', { override: true, comment: 'the GPUs are gone' }, tokens.admin)
  expect(forced.body.state).toBe('rollingOut')
  await comparator.stop()
  const changed = live.map((one) => (['policy', 'unseen'].includes(one.name) ? { ...one, confidence: 0.9 } : one))
  comparator = await startTestComparator([...asked, ...changed], { database })
  expect((await ended('policy')).comment).toBe('Since the approval, the policy changed.')
  expect((await ended('unseen')).comment).toBe('Since the approval, the policy changed.')
  expect(await stateOf('learns')).toMatchObject({ state: 'rollingOut', livePercent: 10 })
})
