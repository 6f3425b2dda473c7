import { expect, test } from 'vitest'
import { describeDashboard, type MeasuredDashboard } from '../bench/dashboard/describe.ts'
import { dashboardPlan } from '../bench/dashboard/plan.ts'

const scores = { accessibility: 100, failed: [], firstContentfulPaint: 1, largestContentfulPaint: 1, layoutShift: 0 }
const runsOf = (performance: number) => [{ ...scores, performance, totalBlockingTime: 1 }]

const measured = (more: { firstMs?: number; desktop?: number; mobile?: number } = {}): MeasuredDashboard => ({
  plan: dashboardPlan(true),
  machine: 'a machine',
  axe: { pages: 2, violations: [] },
  firstViews: [
    { page: 'overview', views: [{ firstMs: more.firstMs ?? 300, wholeMs: 400, answer: { bytes: 1000, path: '/v1' } }] },
  ],
  lighthouse: [
    { page: 'overview', device: 'desktop', runs: runsOf(more.desktop ?? 99) },
    { page: 'overview', device: 'mobile', runs: runsOf(more.mobile ?? 96) },
  ],
  script: { gzip: 1000, brotli: 900 },
})

test('the dashboard’s bench fails on a slow first view and on a low desktop score', () => {
  expect(describeDashboard(measured()).broken).toEqual([])
  expect(describeDashboard(measured({ firstMs: 1001 })).broken).toEqual([expect.stringContaining('first view')])
  expect(describeDashboard(measured({ desktop: 94 })).broken).toEqual([expect.stringContaining('on a computer: 94')])
})

test('a goal that a phone misses is listed as missed', () => {
  const { markdown } = describeDashboard(measured({ mobile: 72 }))
  expect(markdown).toMatch(/performance ≥ 95, on a computer \| 99 \| \*\*yes\*\*/)
  expect(markdown).toMatch(/performance ≥ 95, on a phone \| 72 \| \*\*no\*\*/)
})
