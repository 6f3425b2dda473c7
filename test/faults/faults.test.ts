import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { deaf } from './candidates/deaf.ts'
import { headerFlood } from './candidates/header-flood.ts'
import { healthy } from './candidates/healthy.ts'
import { hugeJson } from './candidates/huge-json.ts'
import { hundredMegabytes } from './candidates/hundred-megabytes.ts'
import { hung } from './candidates/hung.ts'
import { resetMidBody } from './candidates/reset-mid-body.ts'
import { slowDrip } from './candidates/slow-drip.ts'
import { type Stage, startStage } from './stage.ts'
import { startVanishingClients } from './vanishing-clients.ts'

let stage: Stage

const behaving = (candidate: Parameters<Stage['behave']>[0]) => ({
  begin: () => stage.behave(candidate),
  end: () => stage.behave(healthy),
})
const candidateFaults = [
  {
    does: 'is dead',
    validation: 'dead',
    kinds: ['refused'],
    begin: () => stage.candidate.die(),
    end: () => stage.candidate.revive(),
  },
  { does: 'hangs', validation: 'hung', kinds: ['timedOut'], ...behaving(hung) },
  { does: 'goes dead without a word', validation: 'deaf', kinds: ['timedOut'], ...behaving(deaf) },
  { does: 'drips', validation: 'slow-drip', kinds: ['timedOut'], ...behaving(slowDrip) },
  { does: 'resets in its body', validation: 'reset', kinds: ['reset'], ...behaving(resetMidBody) },
  { does: 'answers 100 MB', validation: 'hundred-megabytes', kinds: ['tooLarge'], ...behaving(hundredMegabytes) },
  { does: 'floods headers', validation: 'header-flood', kinds: ['reset'], ...behaving(headerFlood) },
]

beforeAll(async () => {
  stage = await startStage({
    validations: {
      ...Object.fromEntries(candidateFaults.map(({ validation }) => [validation, {}])),
      'no-name': { url: 'http://candidate.invalid:80' },
      // long enough that every shadow request is answered even on a busy machine
      ...Object.fromEntries(['comparator', 'routing', 'half-open'].map((name) => [name, { deadline: '20s' }])),
      'huge-json': { share: 0.1 },
    },
    // the share is chosen by parsing every body
    routes: { 'huge-json': { correlation: { pointer: '/id' } } },
  })
})
afterAll(() => stage?.close())

test.for(candidateFaults)(
  'a candidate that $does harms no client, is seen as $kinds, and is compared again once it is well',
  async ({ validation, kinds, begin, end }) => {
    await begin()
    await stage.load(validation)
    // a busy machine may take longer to deliver it, or let requests time out that otherwise end as the fault has it
    const counts = await waitFor(`a candidate that was ${kinds}`, async () => {
      const counts = stage.recording.counts(validation)
      if (kinds.every((kind) => counts[kind])) return counts
      await stage.probe(validation)
      return undefined
    })
    await end()
    expect(counts).not.toHaveProperty('answered')
    await stage.recover(validation)
    const { skipped } = await stage.settle(validation)
    expect(Object.keys(skipped).filter((reason) => reason !== 'shed')).toEqual([])
  },
)

test('a candidate whose name cannot be resolved is refused, and the others are compared', async () => {
  await stage.load('no-name')
  await stage.settle('no-name')
  // if the resolver itself is unreachable, it takes longer than the deadline
  const { refused = 0, timedOut = 0, ...others } = stage.recording.counts('no-name')
  expect(others).toEqual({})
  expect(refused + timedOut).toBeGreaterThan(0)
  await stage.recover('hung')
})

test('an event loop kept busy by huge JSON is late at worst', async () => {
  stage.behave(hugeJson)
  await stage.load('huge-json')
  stage.behave(healthy)
  await stage.recover('huge-json')
  const { skipped } = await stage.settle('huge-json')
  expect(skipped.notSampled).toBeGreaterThan(0)
})

test('what a dead comparator misses is kept on disk, and delivered once it is back', async () => {
  await stage.comparator.die()
  await stage.load('comparator')
  await waitFor(
    'everything to be on disk',
    async () => (await stage.mirror.metric('understudy_mirror_held_bytes')) === 0,
  )
  expect(await stage.mirror.metric('understudy_mirror_spooling')).toBe(1)
  expect(await stage.mirror.metric('understudy_mirror_spool_bytes')).toBeGreaterThan(1e6)
  expect((await stage.mirror.ledger()).comparator!.pending).toBeGreaterThan(500)
  await stage.comparator.revive()
  await stage.recover('comparator')
  const { skipped } = await stage.settle('comparator')
  expect(skipped).toEqual({})
  await waitFor('the disk to be empty', async () => (await stage.mirror.metric('understudy_mirror_spooling')) === 0)
})

test('a malformed routing document changes nothing and is counted, and the next valid one is followed', async () => {
  const following = async (version: number) => {
    const page = JSON.parse(await stage.mirror.page('/routing'))
    return page.version === version && page.source === 'comparator'
  }
  const malformed = () => stage.mirror.metric('understudy_mirror_malformed_routing_total')
  stage.recording.route(5)
  await waitFor('version 5', () => following(5))
  const load = stage.load('routing')
  for (const text of [
    'null',
    '[]',
    '{"version":"six"}',
    '{"version":6,"validations":{"routing":{"livePercent":100}}}',
  ]) {
    stage.recording.routeText(text)
    const counted = await malformed()
    await waitFor(`${text} to be counted`, async () => (await malformed()) > counted)
    expect(await following(5)).toBe(true)
  }
  await load
  stage.recording.route(7)
  await waitFor('version 7', () => following(7))
  await stage.recover('routing')
  expect((await stage.settle('routing')).skipped).toEqual({})
})

test('clients that vanish half-way cost the others nothing, and leave nothing behind', async () => {
  const clients = startVanishingClients(stage.mirror.port, '/half-open')
  await stage.load('half-open')
  const vanished = clients.stop()
  await stage.recover('half-open')
  clients.leave()
  const { skipped } = await stage.settle('half-open', vanished)
  expect(skipped.aborted).toBeGreaterThan(vanished / 2)
  await waitFor(
    'every exchange to end',
    async () => (await stage.mirror.metric('understudy_mirror_open_exchanges')) === 0,
  )
})

test('after all of this the same process has not failed at anything itself', async () => {
  expect(await stage.mirror.page('/metrics')).not.toMatch(/^understudy_mirror_errors_total\{.*\} [1-9]/m)
})
