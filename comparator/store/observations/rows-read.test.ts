import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { dayMs, minuteMs } from '../../../vocabulary/units.ts'
import type { Tx } from '../database/open-database.ts'
import { countLiveAnswers, listLiveSeconds } from '../gate/live-evidence.ts'
import { reportsBefore } from '../intake/coverage.ts'
import { dayOf } from './day-of-id.ts'
import { deleteObservationsBefore } from './delete-expired.ts'
import { labelsOf } from './labels.ts'
import { listObservations } from './list-observations.ts'
import { knownIds, observationsLabelledBy, setTruths } from './observations.ts'
import { fillDays, rowsReadBy } from './rows-read.fixture.ts'

const now = Date.now()
const days = [1, 2, 3, 4].map((ago) => dayOf(now - ago * dayMs))
/** The time of the last of all 20,000 observations, which come every four seconds. */
const last = Date.parse(days[0]!) + 5000 * 4000

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([regression])
  await fillDays(store.db, days)
  await sql`analyze observation, label, coverage_report`.execute(store.db)
})
afterAll(() => store?.close())

const id = '0193a000-0000-7000-8000-000000000000'
const newest = { validation: 'price', windowId: 1, order: 'newest', limit: 20 } as const
const recent = { validation: 'price', since: last - 10 * minuteMs, until: last, overP95Ms: 1, overP99Ms: 1 }
const minute = new Date(days[0]!).toISOString()
const report = { validation: 'price', minute, reporter: 'm', sizeClass: 'le1KiB' } as const

const reads: [what: string, rowsMax: number, read: (tx: Tx) => Promise<unknown>][] = [
  ['the newest', 200, (tx) => listObservations(tx, newest)],
  ['the newest of what is rare', 200, (tx) => listObservations(tx, { ...newest, comparison: 'skipped' })],
  ['what clients got lately', 100, (tx) => listLiveSeconds(tx, { ...recent, liveOnly: true })],
  ['all that came lately', 1000, (tx) => listLiveSeconds(tx, { ...recent, liveOnly: false })],
  ['how much clients got lately', 100, (tx) => countLiveAnswers(tx, recent, 100)],
  ['what a label belongs to', 50, (tx) => observationsLabelledBy(tx, [{ validation: 'price', correlationId: 'c7' }])],
  ['the label that came first', 50, (tx) => labelsOf(tx, [{ validation: 'price', correlationId: 'c7' }])],
  ['whether an id is known', 50, (tx) => knownIds(tx, [id])],
  ['what a label is noted with', 50, (tx) => setTruths(tx, [{ id, day: days[0]!, truth: { value: 1 } }])],
  ['what a mirror reported before', 50, (tx) => reportsBefore(tx, [report])],
  ['what has expired, where nothing has', 50, (tx) => deleteObservationsBefore(tx, now - 30 * dayMs)],
]

test.each(reads)('%s is found among 20,000 observations by reading at most %d rows', async (_, rowsMax, read) => {
  expect(await rowsReadBy(store.db, read)).toBeLessThanOrEqual(rowsMax)
})
