import { expect, test } from 'vitest'
import { AuthFailures } from './auth-failures.ts'

const limited = () => {
  const clock = { now: 0 }
  return { clock, failures: new AuthFailures({ max: 3, per: 1000 }, () => clock.now) }
}

test('after too many wrong tokens an address waits for the rest of the period, and no other does', () => {
  const { clock, failures } = limited()
  for (const isLast of [false, false, true]) {
    expect(failures.waitMs('10.0.0.1', 'x')).toBe(0)
    expect(failures.failed('10.0.0.1')).toBe(isLast)
  }
  clock.now = 400
  expect(failures.waitMs('10.0.0.1', 'x')).toBe(600)
  expect(failures.waitMs('::ffff:10.0.0.1', 'x')).toBe(600)
  expect(failures.waitMs('10.0.0.2', 'x')).toBe(0)
  clock.now = 1000
  expect(failures.waitMs('10.0.0.1', 'x')).toBe(0)
})

test('a token accepted from an address before stays accepted', () => {
  const { failures } = limited()
  failures.accepted('10.0.0.1', 'mirror')
  for (let i = 0; i < 9; i++) failures.failed('10.0.0.1')
  expect(failures.waitMs('10.0.0.1', 'mirror')).toBe(0)
  expect(failures.waitMs('10.0.0.1', 'guess')).toBeGreaterThan(0)
  expect(failures.waitMs('10.0.0.2', 'mirror')).toBe(0)
})

test('IPv6 addresses are counted by their /64, in any spelling', () => {
  const { failures } = limited()
  for (const host of ['2001:db8::1', '2001:db8:0:0:9::2', '2001:db8:0:0:ffff:1:2:3']) failures.failed(host)
  expect(failures.waitMs('2001:db8::7', 'x')).toBeGreaterThan(0)
  expect(failures.waitMs('2001:db8:0:1::7', 'x')).toBe(0)
})

test('a subscriber whose addresses are abbreviated at different places counts once', () => {
  const { failures } = limited()
  for (const host of ['2001::7:a:b:c:d', '2001:0:0:7::1', '2001:0:0:7:a::1']) failures.failed(host)
  expect(failures.waitMs('2001:0:0:7:1:2:3:4', 'x')).toBeGreaterThan(0)
  expect(failures.waitMs('2001:0:0:8::1', 'x')).toBe(0)
})

test('a flood of addresses does not displace the one that is guessing now', () => {
  const { failures } = limited()
  for (let i = 0; i < 100_000; i++) failures.failed(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
  for (let i = 0; i < 3; i++) failures.failed('1.2.3.4')
  expect(failures.waitMs('1.2.3.4', 'x')).toBeGreaterThan(0)
})
