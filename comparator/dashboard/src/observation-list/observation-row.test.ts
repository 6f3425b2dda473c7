import { parseHTML } from 'linkedom'
import { h, render } from 'preact'
import { afterAll, expect, test, vi } from 'vitest'
import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'
import { type Session, SessionContext } from '../api/session-context.ts'
import { ObservationTable } from './observation-table.tsx'

const { document } = parseHTML('<html><body></body></html>')
vi.stubGlobal('document', document)
afterAll(() => vi.unstubAllGlobals())

/** Counts in `drawn` how often its row is drawn. */
function observation(id: string, drawn: Map<string, number>): ObservationView {
  const answered = { kind: 'answered', status: 200, totalMs: 9, answer: { value: 1 } }
  return {
    id,
    at: '2026-11-21T08:00:00.000Z',
    comparison: 'compared',
    disagreement: 0,
    truth: null,
    bodiesKept: false,
    primary: answered,
    candidate: answered,
    get given() {
      drawn.set(id, (drawn.get(id) ?? 0) + 1)
      return undefined
    },
  } as unknown as ObservationView
}

test('more observations are added without drawing again those that are there', () => {
  const drawn = new Map<string, number>()
  const [a, b, c] = ['a', 'b', 'c'].map((id) => observation(id, drawn)) as [
    ObservationView,
    ObservationView,
    ObservationView,
  ]
  const show = (observations: ObservationView[], kind: 'regression' | 'embedding' = 'regression') => {
    const table = h(ObservationTable, { caption: 'all', observations, kind, hrefOf: (id) => `#/${id}` })
    render(h(SessionContext.Provider, { value: {} as Session }, table), document.body)
  }
  show([a, b])
  const first = drawn.get('a')!
  expect(first).toBeGreaterThan(0)
  show([a, b, c])
  expect(document.querySelectorAll('tbody tr')).toHaveLength(3)
  expect(drawn).toEqual(new Map([a, b, c].map(({ id }) => [id, first])))
  show([a, b, c], 'embedding')
  expect(drawn.get('a')).toBe(2 * first)
})
