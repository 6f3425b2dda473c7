import type { GivenLabels, NamedLabels } from '../../../../vocabulary/api/given-labels.ts'
import { formatCount } from '../format/number.ts'

const namedMax = 4

/** The labels that the candidate lacks and those it adds: `−beach +night`; '' if both sides give the same. */
export function givenApart({ missing, added }: Pick<GivenLabels, 'missing' | 'added'>): string {
  const signed = [...missing.labels.map((label) => `−${label}`), ...added.labels.map((label) => `+${label}`)]
  return named(signed, missing.count + added.count, ' ')
}

/** The labels that one side gives: `beach, sea`. */
export function givenNames({ labels, count }: NamedLabels): string {
  return count === 0 ? 'none' : named(labels, count, ', ')
}

function named(labels: readonly string[], count: number, between: string): string {
  const shown = labels.slice(0, namedMax).join(between)
  return count > namedMax ? `${shown} and ${formatCount(count - namedMax)} more` : shown
}
