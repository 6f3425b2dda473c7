import { expect, onTestFinished, test, vi } from 'vitest'
import { level, row } from './rows.fixture.ts'
import type { TuneSettings } from './run-tune.ts'
import { conclusion, reportTune } from './tune-report.ts'

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

test('says if the chosen row holds its limit by a handful of answers', () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const settings = { limit: { latencyMs: 50, percentile: 99 }, model: { name: 'm', path: '/m.onnx' } }
  const printed = (requests: number) => {
    const chosen = row({}, level(100, 40, { requests }))
    const result = { rows: [chosen], chosen, better: undefined, warnings: [], interrupted: false }
    reportTune(result, settings as TuneSettings, { file: '/m.onnx', name: 'm', entry: {} }, {})
    return String(written.mock.lastCall?.[0])
  }
  expect(printed(150)).toContain('\np99 of 150 answers rests on the slowest 2: a longer --window says more\n')
  expect(printed(1000)).not.toContain('rests on')
})
