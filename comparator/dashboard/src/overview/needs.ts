import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatCount, formatCounted } from '../format/number.ts'
import type { RaisedAlarm } from '../mirrors/all-alarms.ts'
import { harmOf } from '../promotion/live-words.ts'
import { isNoiseFloor } from '../verdict/noise-floor.ts'
import { comparesNothing } from '../verdict/standstill.ts'

/** What a validation currently needs from a person. */
type Need = 'approval' | 'rollback' | 'traffic' | 'decision' | 'repair'

/** Most urgent first: clients may be getting wrong answers, someone is waiting, evidence is missing. */
const order: readonly Need[] = ['rollback', 'approval', 'traffic', 'decision', 'repair']

/** The most urgent need; `null` if it needs nobody. */
export function needOf(
  validation: Pick<ValidationView, 'state' | 'verdict' | 'promotion' | 'arriving' | 'window' | 'exchanges'>,
): Need | null {
  const { state, verdict, promotion, arriving } = validation
  const isLive = state === 'rollingOut' || state === 'promoted'
  if (isLive && (verdict === 'fail' || harmOf(promotion) !== null)) return 'rollback'
  if (promotion?.state === 'requested') return 'approval'
  if (arriving.quietSince !== null || comparesNothing(validation)) return 'traffic'
  if (state !== 'observing') return null
  return verdict === 'pass' ? 'decision' : verdict === 'fail' ? 'repair' : null
}

const groupNames = ['needsPerson', 'underWay', 'noiseFloors', 'settled'] as const
type GroupName = (typeof groupNames)[number]
export const groupTitles: Record<GroupName, string> = {
  needsPerson: 'Needs attention',
  underWay: 'Under way',
  noiseFloors: 'Noise floors',
  settled: 'Settled',
}

export interface Group<Item> {
  name: GroupName
  validations: Item[]
  /** Alarms of mirrors and candidate servers, besides what the validations show themselves. */
  alarms: readonly RaisedAlarm[]
}

/**
 * Validations that need a person come first, then those under way, noise floors and settled ones. Within a group they
 * are ordered by urgency, state and name, so that a live list does not shuffle.
 */
export function grouped<Item extends ValidationView>(
  validations: readonly Item[],
  alarms: readonly RaisedAlarm[] = [],
): Group<Item>[] {
  const groups: Record<GroupName, Item[]> = { needsPerson: [], underWay: [], noiseFloors: [], settled: [] }
  for (const validation of validations.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name))) {
    groups[groupOf(validation)].push(validation)
  }
  return groupNames
    .map((name) => ({ name, validations: groups[name], alarms: name === 'needsPerson' ? alarms : [] }))
    .filter((group) => group.validations.length + group.alarms.length > 0)
}

/** Alarms that no validation in the list already shows: a row shows itself that nothing arrives for it. */
export function alarmsBeside(
  validations: readonly Pick<ValidationView, 'name' | 'arriving'>[],
  alarms: readonly RaisedAlarm[],
): RaisedAlarm[] {
  const quiet = new Set(validations.filter(({ arriving }) => arriving.quietSince !== null).map(({ name }) => name))
  return alarms.filter(({ code, validation }) => code !== 'NOTHING_ARRIVING' || !quiet.has(validation ?? ''))
}

function groupOf(validation: ValidationView): GroupName {
  if (needOf(validation) !== null) return 'needsPerson'
  if (isNoiseFloor(validation)) return 'noiseFloors'
  return validation.state === 'observing' || validation.state === 'rollingOut' ? 'underWay' : 'settled'
}

function rankOf(validation: ValidationView): number {
  const need = needOf(validation)
  if (need !== null) return order.indexOf(need)
  return order.length + (validation.state === 'rollingOut' ? 0 : validation.state === 'promoted' ? 1 : 2)
}

type Kind = Exclude<Need, 'traffic'> | 'quiet' | 'comparesNothing' | 'alarm' | ValidationView['state'] | 'noiseFloor'

const are = (words: string) => (n: number) => `${formatCount(n)} ${words}`
const summaryWords: Partial<Record<Kind, (n: number) => string>> = {
  rollback: are('live and failing'),
  approval: are('awaiting approval'),
  quiet: are('receiving nothing'),
  comparesNothing: are('comparing nothing'),
  decision: are('ready for a decision'),
  repair: are('failing'),
  alarm: (n) => formatCounted(n, 'mirror alarm'),
  observing: are('gathering evidence'),
  rollingOut: are('rolling out'),
  promoted: are('promoted'),
  noiseFloor: (n) => formatCounted(n, 'noise floor'),
}

/**
 * The overview in one line: `1 awaiting approval, 2 ready for a decision, 3 gathering evidence`. Each validation counts
 * once, by what it needs first; rejected and rolled back ones need nothing, and are left out.
 */
export function summaryOf(validations: readonly ValidationView[], alarms = 0): string {
  const counts = new Map<Kind, number>([['alarm', alarms]])
  for (const kind of validations.map(kindOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.entries(summaryWords)
    .map(([kind, words]) => ({ n: counts.get(kind as Kind) ?? 0, words }))
    .filter(({ n }) => n > 0)
    .map(({ n, words }) => words(n))
    .join(', ')
}

function kindOf(validation: ValidationView): Kind {
  const need = needOf(validation)
  if (need === 'traffic') return validation.arriving.quietSince === null ? 'comparesNothing' : 'quiet'
  return need ?? (isNoiseFloor(validation) ? 'noiseFloor' : validation.state)
}
