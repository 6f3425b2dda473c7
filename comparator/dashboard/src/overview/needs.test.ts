import { expect, test } from 'vitest'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { RaisedAlarm } from '../mirrors/all-alarms.ts'
import { alarmsBeside, grouped, needOf, summaryOf } from './needs.ts'

function validation(name: string, more: Partial<ValidationView> = {}): ValidationView {
  const arriving = { lastSeenAt: null, quietSince: null, mirror: null }
  const known = { state: 'observing', verdict: 'inconclusive', promotion: null, arriving, noiseFloorOf: [] }
  const window = { beganAt: '2026-11-21T08:00:00Z' }
  const exchanges = { seen: 40, compared: 40, skipped: {} }
  return {
    name,
    ...known,
    window,
    exchanges,
    policy: { gate: [{ reportOnly: false }] },
    ...more,
  } as unknown as ValidationView
}
const requested = { state: 'requested' } as ValidationView['promotion']
const harming = {
  state: 'promoted',
  liveGate: { verdict: 'fail', reason: 'Harm.', checks: [] },
} as unknown as ValidationView['promotion']
const quiet = { lastSeenAt: null, quietSince: '2026-11-21T08:00:00Z', mirror: null }

test('what needs a person comes first, most urgent at the top; then what is under way, then what is settled', () => {
  const groups = grouped([
    validation('gathers'),
    validation('fails', { verdict: 'fail' }),
    validation('promoted', { state: 'promoted', verdict: 'pass' }),
    validation('ready', { verdict: 'pass' }),
    validation('closed', { state: 'rejected', verdict: 'fail' }),
    validation('quiet', { arriving: quiet }),
    validation('rolling', { state: 'rollingOut', verdict: 'pass' }),
    validation('asked', { verdict: 'pass', promotion: requested }),
    validation('live-failing', { state: 'rollingOut', verdict: 'fail' }),
    validation('live-harming', { state: 'promoted', verdict: 'pass', promotion: harming }),
  ])
  expect(groups.map(({ name, validations }) => [name, ...validations.map((one) => one.name)])).toEqual([
    ['needsPerson', 'live-failing', 'live-harming', 'asked', 'quiet', 'ready', 'fails'],
    ['underWay', 'rolling', 'gathers'],
    ['settled', 'promoted', 'closed'],
  ])
})

test('a group without validations is omitted, and equals are sorted by name', () => {
  const groups = grouped([validation('b'), validation('a')])
  expect(groups.map(({ validations }) => validations.map(({ name }) => name))).toEqual([['a', 'b']])
})

test('alarms of mirrors need a person too, even if no validation does; an alarm that a row shows is not repeated', () => {
  const alarm = (code: string, validation: string | null) => ({ code, validation, mirror: 'm' }) as RaisedAlarm
  const silent = alarm('MIRROR_SILENT', null)
  const [group, under] = grouped([validation('a')], [silent])
  expect(group).toMatchObject({ name: 'needsPerson', validations: [], alarms: [silent] })
  expect(under).toMatchObject({ name: 'underWay', alarms: [] })
  expect(grouped([validation('a')], [])[0]!.name).toBe('underWay')
  const [own, other] = [alarm('NOTHING_ARRIVING', 'a'), alarm('NOTHING_ARRIVING', 'b')]
  const all = [silent, own, other, alarm('BREAKER_OPEN', 'a')]
  expect(alarmsBeside([validation('a', { arriving: quiet }), validation('b')], all)).toEqual([all[0], other, all[3]])
  expect(summaryOf([validation('a')], 2)).toBe('2 mirror alarms, 1 gathering evidence')
})

test('a noise floor is a group of its own: it is never decided, and waits for nobody', () => {
  const floor = { noiseFloorOf: ['a'], policy: { gate: [{ reportOnly: true }] } } as unknown as Partial<ValidationView>
  const groups = grouped([
    validation('a'),
    validation('itself', floor),
    validation('quiet', { ...floor, arriving: quiet }),
  ])
  expect(groups.map(({ name, validations }) => [name, ...validations.map((one) => one.name)])).toEqual([
    ['needsPerson', 'quiet'],
    ['underWay', 'a'],
    ['noiseFloors', 'itself'],
  ])
  expect(summaryOf([validation('a'), validation('itself', floor)])).toBe('1 gathering evidence, 1 noise floor')
  // one with a gate of its own is a validation like any other
  expect(grouped([validation('both', { noiseFloorOf: ['a'] })])[0]!.name).toBe('underWay')
})

test('a rejected validation needs nobody, whatever its verdict', () => {
  for (const state of ['rejected', 'rolledBack'] as const) {
    expect(needOf(validation('one', { state, verdict: 'pass' }))).toBeNull()
    expect(needOf(validation('one', { state, verdict: 'fail' }))).toBeNull()
  }
})

test('the summary counts each validation once, in words, by what it needs first', () => {
  const all = [
    validation('a', { verdict: 'pass', promotion: requested }),
    validation('b', { verdict: 'pass' }),
    validation('c', { verdict: 'fail' }),
    validation('d'),
    validation('e', { arriving: quiet }),
    validation('f', { state: 'rollingOut', verdict: 'pass' }),
    validation('g', { state: 'promoted', verdict: 'fail' }),
    validation('h', { state: 'rollingOut', verdict: 'fail' }),
    validation('i', { promotion: requested, arriving: quiet }),
    validation('j', { state: 'promoted', verdict: 'pass' }),
    validation('k', { state: 'rejected' }),
  ]
  expect(summaryOf(all)).toBe(
    '2 live and failing, 2 awaiting approval, 1 receiving nothing, 1 ready for a decision, 1 failing, 1 gathering evidence, 1 rolling out, 1 promoted',
  )
  expect(summaryOf([])).toBe('')
})

test('where exchanges arrive and none can be compared, a person is needed, but not for those left out by choice', () => {
  const arriving = { ...quiet, quietSince: null, lastSeenAt: '2026-11-21T08:10:00Z' }
  const skipping = (skipped: Record<string, number>) =>
    validation('v', { arriving, exchanges: { seen: 40, compared: 0, skipped } })
  expect(needOf(skipping({ primaryStatus: 40 }))).toBe('traffic')
  expect(summaryOf([skipping({ primaryStatus: 40 })])).toBe('1 comparing nothing')
  expect(needOf(skipping({ notSampled: 40 }))).toBeNull()
  expect(needOf({ ...skipping({ primaryStatus: 40 }), state: 'rejected' })).toBeNull()
  const young = { ...arriving, lastSeenAt: '2026-11-21T08:05:00Z' }
  expect(needOf({ ...skipping({ primaryStatus: 40 }), arriving: young })).toBeNull()
})
