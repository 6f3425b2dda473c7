import type { CheckResult, GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'

/** A check in two evaluations; `null` if one of them lacks it. */
export interface CheckChange {
  metric: string
  before: CheckResult | null
  now: CheckResult | null
  /** The verdict changed, or the check was added or removed. */
  turned: boolean
}

export interface GateChange {
  verdict: { before: Verdict; now: Verdict }
  /** Changes of models and policy, in sentences. */
  subject: string[]
  /** Checks with any difference, those with a changed verdict first. */
  checks: CheckChange[]
  /**
   * Whether something changed that a reader's decision may rest on, so that they must confirm again. More evidence of
   * the same kind does not count.
   */
  isMaterial: boolean
}

/** The differences between two evaluations of one gate, check by check. */
export function gateChange(before: GateEvaluation, now: GateEvaluation): GateChange {
  const old = new Map(before.checks.map((check) => [keyOf(check), check]))
  const fresh = new Map(now.checks.map((check) => [keyOf(check), check]))
  const checks = [...new Set([...old.keys(), ...fresh.keys()])]
    .map((key) => changeOf(old.get(key) ?? null, fresh.get(key) ?? null))
    .filter((change) => change !== null)
    .toSorted((a, b) => Number(b.turned) - Number(a.turned))
  const subject = subjectChanges(before, now)
  return {
    verdict: { before: before.verdict, now: now.verdict },
    subject,
    checks,
    isMaterial: before.verdict !== now.verdict || subject.length > 0 || checks.some(({ turned }) => turned),
  }
}

function changeOf(before: CheckResult | null, now: CheckResult | null): CheckChange | null {
  const turned = before?.verdict !== now?.verdict
  const moved = (['estimate', 'lower', 'upper', 'n'] as const).some((part) => before?.[part] !== now?.[part])
  return turned || moved ? { metric: (now ?? before)!.metric, before, now, turned } : null
}

function subjectChanges({ window: before }: GateEvaluation, { window: now }: GateEvaluation): string[] {
  const version = (text: string | null) => text ?? 'unknown'
  // an unknown file is not a different file
  const isOther = (one?: string | null, other?: string | null) => Boolean(one && other && one !== other)
  return [
    before.primaryVersion === now.primaryVersion
      ? null
      : `The primary is now version ${version(now.primaryVersion)} (was ${version(before.primaryVersion)}).`,
    isOther(before.primaryDigest, now.primaryDigest) ? 'The primary’s model file changed.' : null,
    before.candidateVersion === now.candidateVersion
      ? null
      : `The candidate is now version ${version(now.candidateVersion)} (was ${version(before.candidateVersion)}).`,
    isOther(before.candidateDigest, now.candidateDigest) ? 'The candidate’s model file changed.' : null,
    before.policyDigest === now.policyDigest ? null : 'The policy changed.',
  ].filter((sentence) => sentence !== null)
}

/** Identifies the same condition in both: everything that the policy says about it. */
function keyOf(check: CheckResult): string {
  const { metric, slice, limit, relative, reportOnly } = check
  return JSON.stringify([metric, slice ?? null, limit, relative ?? null, reportOnly])
}
