import { expect, test } from 'vitest'
import { level, row } from './rows.fixture.ts'
import { conclusion } from './tune-report.ts'

test('an interrupted search concludes nothing beyond what it measured', () => {
  const limit = { latencyMs: 50, percentile: 99 }
  const tuned = { file: '/srv/models/student.onnx', name: 'student', entry: {} }
  const of = (chosen: ReturnType<typeof row> | undefined, interrupted: boolean) =>
    conclusion({ chosen, interrupted }, { limit }, tuned).split('\n', 1)[0]
  const best = row({}, level(100, 40))
  expect(of(best, false)).toBe('# the best')
  expect(of(best, true)).toBe('# the best before the interrupt')
  expect(of(undefined, false)).toBe('no configuration holds p99 ≤ 50 ms without failures')
  expect(of(undefined, true)).toBe('no configuration measured before the interrupt holds p99 ≤ 50 ms without failures')
})
