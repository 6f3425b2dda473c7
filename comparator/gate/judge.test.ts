import { describe, expect, test } from 'vitest'
import { allOf, judgeBound } from './judge.ts'

describe('a bound', () => {
  test.each([
    ['passes inside the limit', [0.91, 0.95], { min: 0.9 }, 'pass'],
    ['passes where it touches a minimum from inside', [0.9, 0.95], { min: 0.9 }, 'pass'],
    ['is inconclusive where it straddles a minimum', [0.89, 0.95], { min: 0.9 }, 'inconclusive'],
    ['is inconclusive where it touches a minimum from outside', [0.85, 0.9], { min: 0.9 }, 'inconclusive'],
    ['fails below a minimum', [0.85, 0.89], { min: 0.9 }, 'fail'],
    ['passes where it touches a maximum from inside', [0.1, 0.2], { max: 0.2 }, 'pass'],
    ['is inconclusive where it straddles a maximum', [0.1, 0.21], { max: 0.2 }, 'inconclusive'],
    ['is inconclusive where it touches a maximum from outside', [0.2, 0.3], { max: 0.2 }, 'inconclusive'],
    ['fails above a maximum', [0.21, 0.3], { max: 0.2 }, 'fail'],
    ['must be inside both limits to pass', [0.1, 0.3], { min: 0.1, max: 0.2 }, 'inconclusive'],
    ['passes between both limits, touching them', [0.1, 0.2], { min: 0.1, max: 0.2 }, 'pass'],
    ['fails beyond one of two limits', [0.3, 0.4], { min: 0.1, max: 0.2 }, 'fail'],
    ['decides nothing without a limit', [0.1, 0.2], {}, 'inconclusive'],
    ['that is open passes no limit on that side', [0.1, null], { max: 0.2 }, 'inconclusive'],
    ['that is open may pass the limit on its other side', [0.1, null], { min: 0.1 }, 'pass'],
    ['that is open may fail the limit on its other side', [0.3, null], { max: 0.2 }, 'fail'],
    ['with an edge that is no number passes no limit there', [Number.NaN, 0.2], { min: 0.1 }, 'inconclusive'],
    ['that is infinite passes no limit', [0.1, Number.POSITIVE_INFINITY], { max: 0.2 }, 'inconclusive'],
  ] as const)('%s', (_name, [lower, upper], limit, verdict) => {
    expect(judgeBound({ estimate: 0.15, lower, upper }, limit)).toBe(verdict)
  })

  test.each([null, Number.NaN, Number.POSITIVE_INFINITY])('of %s proves nothing, whatever its edges', (estimate) => {
    expect(judgeBound({ estimate, lower: 0.1, upper: 0.2 }, { min: 0 })).toBe('inconclusive')
    expect(judgeBound({ estimate, lower: 0.1, upper: 0.2 }, { min: 1 })).toBe('inconclusive')
  })
})

test('all verdicts together pass only if there are any and all pass, and fail if one fails', () => {
  expect(allOf([])).toBe('inconclusive')
  expect(allOf(['pass', 'pass'])).toBe('pass')
  expect(allOf(['pass', 'inconclusive'])).toBe('inconclusive')
  expect(allOf(['inconclusive', 'fail', 'pass'])).toBe('fail')
})
