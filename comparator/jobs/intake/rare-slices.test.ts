import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classification, observation, scores } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { randomFrom } from '../../metrics/rollups.fixture.ts'
import { membersOfRareSlice } from '../../store/observations/examples.ts'
import { viewObservations } from '../views/view-observations.ts'
import { acceptObservations } from './accept-observations.ts'

const dayMs = 86_400_000
const name = 'digits'
const tenants = [...Array<string>(7).fill('often'), 'seldom', 'seldom', 'never']

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([
    {
      ...classification,
      window: { duration: '30d', samplesMin: 10 },
      slices: [{ name: 'tenant', header: 'x-tenant' }],
    },
  ])
  const random = randomFrom(3)
  const now = Date.now()
  // two models, hence two windows, over three days; most disagreements are ties
  const stream = Array.from({ length: 180 }, (_, i) => {
    const tenant = i === 90 ? 'once' : tenants[Math.floor(random() * (tenants.length - 1))]!
    const one = observation({
      at: now - 2 * dayMs + Math.floor(i / 60) * dayMs - (i % 60) * 1000,
      primary: scores(Math.floor(random() * 2)),
      candidate: i % 7 === 0 ? { kind: 'timedOut', totalMs: 500 } : scores(Math.floor(random() * 2)),
    })
    const version = i < 60 ? '1' : '2'
    return {
      ...one,
      primary: { ...one.primary, version },
      request: { ...one.request, headers: { ...one.request.headers, 'x-tenant': tenant } },
    }
  })
  for (let i = 0; i < stream.length; i += 45) await acceptObservations(store.comparator, stream.slice(i, i + 45))
})
afterAll(() => store?.close())

type Order = 'worst' | 'newest'

async function pagesOf(order: Order, slice: string) {
  const validation = store.comparator.validations.get(name)!
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await viewObservations(store.comparator, validation, {
      order,
      slice,
      limit: 4,
      ...(cursor && { cursor }),
    })
    ids.push(...page.observations.map(({ id }) => id))
    if (page.nextCursor === null) return ids
    cursor = page.nextCursor
  }
}

async function expected(order: Order, value: string) {
  const { rows } = await sql<{ id: string }>`
    select id from observation where slices ->> 'tenant' = ${value}
      and ${order === 'worst' ? sql`severity > 0 and window_id = (select max(window_id) from observation)` : sql`true`}
    order by ${order === 'worst' ? sql`severity desc, id` : sql`at desc, id desc`}
  `.execute(store.db)
  return rows.map(({ id }) => id)
}

const found = (value: string) => membersOfRareSlice(store.db, { validation: name, slice: `tenant=${value}` })

describe('a slice', () => {
  test('is known as a whole only if it is rare', async () => {
    expect(await found('once')).toHaveLength(1)
    expect(await found('never')).toEqual([])
    const seldom = await found('seldom')
    expect(new Set(seldom!.map(({ id }) => id))).toEqual(new Set(await expected('newest', 'seldom')))
    expect(seldom!.length).toBeGreaterThan(20)
    expect(await found('often')).toBeNull()
  })

  test.each(['often', 'seldom', 'once', 'never'])(
    'is listed page by page, completely and in order: %s',
    async (value) => {
      for (const order of ['worst', 'newest'] as const) {
        expect(await pagesOf(order, `tenant=${value}`)).toEqual(await expected(order, value))
      }
    },
  )
})
