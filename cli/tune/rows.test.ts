import { parseHTML } from 'linkedom'
import { describe, expect, test } from 'vitest'
import { range } from '../../candidate-server/testing/fake-sysroot.ts'
import { isSteady, spreadOf } from './measured-window.ts'
import { drawPicture, htmlPage, paretoFront } from './picture.ts'
import { configuration, level, row } from './rows.fixture.ts'
import { choose, isBetter, noiseOf, type Row, ranked } from './rows.ts'
import { betterLine, noiseLine, tuneTable } from './tune-table.ts'

describe('a configuration', () => {
  test('is better if it meets the limit, then if it answers more by more than the noise', () => {
    const slowButFine = row({}, level(100, 40))
    expect(isBetter(slowButFine, row({}, level(900, 60)))).toBe(true)
    expect(isBetter(row({}, level(103, 40)), slowButFine)).toBe(true)
    expect(isBetter(row({}, level(101, 40)), slowButFine)).toBe(false)
    expect(isBetter(row({}, level(110, 40, { noise: 0.3 })), slowButFine)).toBe(false)
    expect(isBetter(row({}, level(100, 60)), row({}, level(900, 90)))).toBe(true)
    const failed: Row = { kind: 'failed', configuration, message: '' }
    expect([isBetter(failed, slowButFine), isBetter(slowButFine, failed), isBetter(failed, failed)]).toEqual([
      false,
      true,
      false,
    ])
    expect(isBetter(slowButFine, row({}, level(900, 10, { failures: 1 })))).toBe(true)
  })

  test('beyond the limit is better if all its requests were answered, then if it is nearer by more than the noise', () => {
    const late = row({}, level(100, 80))
    const failing = row({}, level(900, 60, { failures: 1 }))
    expect([isBetter(late, failing), isBetter(failing, late)]).toEqual([true, false])
    expect([isBetter(row({}, level(1, 79)), late), isBetter(row({}, level(1, 78)), late)]).toEqual([false, true])
  })

  test('that was measured once, and so has no noise, is compared all the same', () => {
    const once = (throughput: number) => row({}, level(throughput, 40, { noise: Number.NaN }))
    expect([isBetter(once(103), once(100)), isBetter(once(101), once(100))]).toEqual([true, false])
  })

  test('without an answer is not fine, whatever its limit', () => {
    const idle = row({}, level(0, 0, { requests: 0, satisfies: null }))
    expect(choose([idle])).toEqual({ chosen: undefined, better: undefined })
    expect(isBetter(row({}, level(1, 40)), idle)).toBe(true)
  })

  test('is ranked by throughput within the limit, and by latency beyond it', () => {
    const rows = [
      [900, 80],
      [50, 40],
      [100, 60],
      [200, 30],
    ].map(([throughput, p99]) => row({}, level(throughput!, p99!)))
    const throughputs = ranked(rows).map((row) => row.kind === 'measured' && row.best.throughput)
    expect(throughputs).toEqual([200, 50, 100, 900])
  })

  test('of another file is never chosen, but reported if it is better', () => {
    const own = row({}, level(100, 40))
    const int8 = (throughput: number, p99 = 40) => row({ also: '/m/int8.onnx' }, level(throughput, p99))
    expect(choose([own, int8(300)])).toEqual({ chosen: own, better: int8(300) })
    expect(choose([own, int8(101)])).toEqual({ chosen: own, better: undefined })
    expect(choose([own, int8(300, 60)])).toEqual({ chosen: own, better: undefined })
    expect(choose([row({}, level(100, 60)), int8(90)])).toEqual({ chosen: undefined, better: int8(90) })
    expect(betterLine(int8(300).configuration, '/m/student.onnx')).toMatch(
      /^int8\.onnx is better than student\.onnx, with 2 × 1 thread, batch 4 .*tune --model \/m\/int8\.onnx/,
    )
  })

  test('is represented by its best level within the limit', () => {
    expect(row({}, level(100, 10), level(180, 30), level(200, 80)).best.throughput).toBe(180)
    expect(row({}, level(100, 70), level(180, 90)).best.throughput).toBe(100)
  })

  test('is measured until windows agree', () => {
    expect(isSteady([100, 104, 97], 3)).toBe(true)
    expect(isSteady([100, 130, 97], 3)).toBe(false)
    expect(isSteady([100, 100], 3)).toBe(false)
    expect(isSteady([0, 0, 0], 3)).toBe(true)
    expect(spreadOf([90, 100, 110])).toBeCloseTo(0.2)
  })
})

test('the noise of a search is the median and the largest spread between windows, of levels that have one', () => {
  const noises = [0.4, 0.01, Number.NaN, 0.03]
  const rows: Row[] = noises.map((noise) => row({}, level(100, 10, { noise, steady: noise < 0.1 })))
  expect(noiseOf(rows)).toEqual({ median: 0.03, max: 0.4, unsteady: 2, measurements: 4 })
  expect(noiseOf([])).toEqual({ median: Number.NaN, max: Number.NaN, unsteady: 0, measurements: 0 })
})

describe('the Pareto front', () => {
  test('has exactly the points that no other beats in both', () => {
    const points = range(0, 200).map((i) => ({ throughput: (i * 7919) % 211, latencyMs: (i * 104_729) % 197 }))
    const isBeaten = (point: (typeof points)[number]) =>
      points.some(
        (other) =>
          other.throughput >= point.throughput &&
          other.latencyMs <= point.latencyMs &&
          (other.throughput > point.throughput || other.latencyMs < point.latencyMs),
      )
    const front = paretoFront(points)
    expect(front.length).toBeGreaterThan(2)
    expect(new Set(front)).toEqual(new Set(points.filter((point) => !isBeaten(point))))
    expect(front).toEqual(front.toSorted((a, b) => a.throughput - b.throughput))
  })
})

describe('the report', () => {
  const chosen = row({}, level(100, 10), level(180, 30))
  const failed: Row = { kind: 'failed', configuration: { ...configuration, allocator: 'tcmalloc' }, message: 'no' }
  const rows: Row[] = [row({ instances: 1, threads: 2 }, level(300, 80, { steady: false, noise: 0.4 })), failed, chosen]

  test('is a table with the best row first and marked, and those that could not start last', () => {
    const lines = tuneTable(rows, chosen.configuration, { latencyMs: 50, percentile: 99 }, '/m/student.onnx').split(
      '\n',
    )
    expect(lines[0]).toMatch(/requests\/s +±% +p50 +p90 +p95 +p99 +CPUs +others +throttled +≤ 50 ms$/)
    expect(lines[2]).toMatch(/^\* +2 × 1 +4 +1 +jemalloc +8 +180 +1 +7.5 +15 +20 +30 +1.91 +0.02 +3 +yes$/)
    expect(lines[3]).toMatch(/ 1 × 2 .* 300 +20! .*no$/)
    expect(lines[4]).toMatch(/tcmalloc +failed$/)
    expect(noiseLine(rows, chosen.configuration)).toMatch(/; 1 of 3 measurements never became steady \(!\)$/)
    expect(ranked(rows)[0]).toBe(chosen)
  })

  test('says why the chosen row is not the first, if it is not', () => {
    const noisy = row({ sizeMax: 8 }, level(190, 30, { noise: 0.3 }))
    expect(choose([chosen, noisy]).chosen).toBe(chosen)
    expect(noiseLine([chosen, noisy], chosen.configuration)).toMatch(
      /at most; rows above \* are better by no more than that$/,
    )
    const otherFile = row({ also: '/m/student-int8.onnx' }, level(300, 20))
    expect(noiseLine([chosen, otherFile], chosen.configuration)).not.toContain('above')
    expect(noiseLine([noisy], undefined)).not.toContain('above')
  })

  test('says which rows had failures, also without a limit', () => {
    const full = row({ sizeMax: 32 }, level(300, 20, { failures: 9, satisfies: null }))
    const fine = row({}, level(100, 10, { satisfies: null }))
    const limit = { latencyMs: undefined, percentile: 99 }
    const [head, , best, last] = tuneTable([full, fine], fine.configuration, limit, '/m/student.onnx').split('\n')
    expect(head).toMatch(/throttled +answers$/)
    expect(best).toMatch(/^\* .* 100 .* yes$/)
    expect(last).toMatch(/ 300 .* failures$/)
    expect(tuneTable([fine], fine.configuration, limit, '/m/student.onnx')).not.toContain('answers')
  })

  test('names the file of each row if there are several', () => {
    const int8 = row({ also: '/m/student-int8.onnx' }, level(300, 20))
    const lines = tuneTable([chosen, int8], chosen.configuration, { latencyMs: 50, percentile: 99 }, '/m/student.onnx')
    const [head, , best, own, unit] = lines.split('\n')
    expect(head).toMatch(/^ +model +instances × threads/)
    expect(best).toMatch(/^ +student-int8\.onnx +2 × 1 .* 300 /)
    expect(own).toMatch(/^\* +student\.onnx +2 × 1 .* 180 /)
    expect(unit).toBe('(times in ms)')
  })

  test('is a picture with a dot for each level, in a file of its own', () => {
    const svg = drawPicture(rows, chosen, { latencyMs: 50, percentile: 99 }, 'a <title> & more')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    const { document } = parseHTML(`<html><body>${svg}</body></html>`)
    expect(document.querySelectorAll('[aria-label="dot"] circle')).toHaveLength(4) // three levels and the ring
    expect(svg).toContain('limit 50 ms')
    expect(svg).toContain('line: Pareto front; grey: does not hold the limit')
    expect(drawPicture(rows, chosen, { latencyMs: undefined, percentile: 99 }, '')).not.toContain('grey:')
    expect(svg).toContain('2 × 1 thread, batch 4 within 1 ms, jemalloc')
    expect(svg).not.toContain('NaN')
    const page = htmlPage('a <title>', svg, 'p99 < 5', ['noise < 1'])
    expect(page).toContain('<pre>p99 &lt; 5</pre>\n<p>noise &lt; 1</p>')
  })
})
