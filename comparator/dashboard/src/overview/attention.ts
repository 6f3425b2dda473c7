import type { ValidationView } from '../../../../vocabulary/api.ts'

/** What needs a person comes first; within that, by name, so that a live list does not shuffle. */
export function byAttention(validations: ValidationView[]): ValidationView[] {
  return validations.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
}

function rank(validation: ValidationView): number {
  // evidence that stays away mends nothing by itself
  return validation.arriving.quietSince === null ? rankOfDecision(validation) : Math.min(1, rankOfDecision(validation))
}

function rankOfDecision({ state, verdict, promotion }: ValidationView): number {
  if (promotion?.state === 'requested') return 0
  if (state === 'rollingOut') return verdict === 'fail' ? 0 : 2
  if (state === 'promoted') return verdict === 'fail' ? 0 : 5
  return { pass: 1, fail: 3, inconclusive: 4 }[verdict]
}

/** The overview in one line: `1 ready for a decision, 1 failing, 2 gathering evidence`. */
export function summaryOf(validations: ValidationView[]): string {
  const count = (test: (validation: ValidationView) => boolean) => validations.filter(test).length
  const open = (validation: ValidationView) => validation.state !== 'rollingOut' && validation.state !== 'promoted'
  const parts = [
    [count((v) => v.promotion?.state === 'requested'), 'awaiting approval'],
    [count((v) => open(v) && v.verdict === 'pass' && v.promotion?.state !== 'requested'), 'ready for a decision'],
    [count((v) => v.verdict === 'fail'), 'failing'],
    [count((v) => v.arriving.quietSince !== null), 'receiving nothing'],
    [count((v) => open(v) && v.verdict === 'inconclusive'), 'gathering evidence'],
    [count((v) => v.state === 'rollingOut'), 'rolling out'],
    [count((v) => v.state === 'promoted'), 'promoted'],
  ] as const
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(', ')
}
