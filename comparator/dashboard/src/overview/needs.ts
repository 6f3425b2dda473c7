import type { ValidationView } from '../../../../vocabulary/api.ts'

/** What a validation wants of a person now. */
export type Need = 'approval' | 'rollback' | 'traffic' | 'decision' | 'repair'

/** The most pressing first: clients may be getting wrong answers, someone waits, evidence stays away. */
const order: readonly Need[] = ['rollback', 'approval', 'traffic', 'decision', 'repair']

/** The most pressing need; `null` where it goes its way without anybody. */
export function needOf(validation: Pick<ValidationView, 'state' | 'verdict' | 'promotion' | 'arriving'>): Need | null {
  const { state, verdict, promotion, arriving } = validation
  const isLive = state === 'rollingOut' || state === 'promoted'
  if (isLive && verdict === 'fail') return 'rollback'
  if (promotion?.state === 'requested') return 'approval'
  if (arriving.quietSince !== null) return 'traffic'
  if (state !== 'observing') return null
  return verdict === 'pass' ? 'decision' : verdict === 'fail' ? 'repair' : null
}

export type GroupName = 'needsPerson' | 'underWay' | 'settled'
export const groupTitles: Record<GroupName, string> = {
  needsPerson: 'Needs a person',
  underWay: 'Under way',
  settled: 'Settled',
}

export interface Group<Item> {
  name: GroupName
  validations: Item[]
}

/** What needs a person comes first; then what is under way, then what is settled. Within each no live list shuffles. */
export function grouped<Item extends ValidationView>(validations: readonly Item[]): Group<Item>[] {
  const groups: Record<GroupName, Item[]> = { needsPerson: [], underWay: [], settled: [] }
  for (const validation of validations.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name))) {
    groups[groupOf(validation)].push(validation)
  }
  return (['needsPerson', 'underWay', 'settled'] as const)
    .map((name) => ({ name, validations: groups[name] }))
    .filter(({ validations: members }) => members.length > 0)
}

function groupOf(validation: ValidationView): GroupName {
  if (needOf(validation) !== null) return 'needsPerson'
  return validation.state === 'observing' || validation.state === 'rollingOut' ? 'underWay' : 'settled'
}

function rankOf(validation: ValidationView): number {
  const need = needOf(validation)
  if (need !== null) return order.indexOf(need)
  return order.length + (validation.state === 'rollingOut' ? 0 : validation.state === 'promoted' ? 1 : 2)
}

/** The overview in one line: `1 awaiting approval, 2 ready for a decision, 3 gathering evidence`. */
export function summaryOf(validations: readonly ValidationView[]): string {
  const needs = validations.map(needOf)
  const need = (wanted: Need) => needs.filter((one) => one === wanted).length
  const state = (wanted: ValidationView['state']) => validations.filter((one) => one.state === wanted).length
  const parts: [number, string][] = [
    [need('rollback'), 'live and failing'],
    [need('approval'), 'awaiting approval'],
    [validations.filter(({ arriving }) => arriving.quietSince !== null).length, 'receiving nothing'],
    [need('decision'), 'ready for a decision'],
    [need('repair'), 'failing'],
    [validations.filter((one, i) => one.state === 'observing' && needs[i] === null).length, 'gathering evidence'],
    [state('rollingOut'), 'rolling out'],
    [state('promoted'), 'promoted'],
  ]
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(', ')
}
