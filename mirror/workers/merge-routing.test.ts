import { expect, test } from 'vitest'
import type { BreakerState } from '../../vocabulary/mirrors.ts'
import type { RoutingPage } from '../routing-page.ts'
import { mergeRouting } from './merge-routing.ts'

interface Found {
  version: number
  isHealthy: boolean
  a: BreakerState
  reverse: BreakerState
  noise: BreakerState
  live: 'open' | 'closed'
}

function page({ version, isHealthy, a, reverse, noise, live: liveBreaker }: Found): RoutingPage {
  const at = '2026-11-21T08:00:00.000Z'
  const url = 'http://127.0.0.1:1'
  const why = `version ${version}, ${liveBreaker}`
  const live = { state: 'observing', livePercent: 0, reverseShadow: false, liveBreaker, why } as const
  return {
    version,
    source: 'comparator',
    since: at,
    updatedAt: at,
    primary: url,
    upstreams: [{ url, isHealthy }],
    routes: [
      {
        path: '/p',
        methods: ['POST'],
        candidates: [{ validation: 'a', share: 1, url, breaker: a, reverseBreaker: reverse, ...live }],
        noiseFloor: { validation: 'noise', share: 0.1, breaker: noise },
      },
    ],
  }
}

test('the merged page has the routing of the slowest worker, and the worst that any worker found of an upstream', () => {
  const merged = mergeRouting([
    page({ version: 8, isHealthy: true, a: 'closed', reverse: 'open', noise: 'closed', live: 'open' }),
    page({ version: 7, isHealthy: true, a: 'halfOpen', reverse: 'closed', noise: 'closed', live: 'closed' }),
    page({ version: 8, isHealthy: false, a: 'closed', reverse: 'closed', noise: 'open', live: 'closed' }),
  ])
  const worst = { isHealthy: false, a: 'halfOpen', reverse: 'open', noise: 'open' } as const
  expect(merged).toEqual(page({ version: 7, ...worst, live: 'closed' }))
  expect(mergeRouting([])).toBe(undefined)
})

test('it says so if a live candidate fails any of the workers that have that routing', () => {
  const good = { version: 7, isHealthy: true, a: 'closed', reverse: 'closed', noise: 'closed', live: 'closed' } as const
  const failing = page({ ...good, live: 'open' })
  expect(mergeRouting([page(good), failing, page(good)])).toEqual(failing)
})
