import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { storableText } from '../store/json.ts'
import type { Tx } from '../store/open-database.ts'
import type { WindowRow } from '../store/tables.ts'
import { insertWindow, updateWindow, windowsUnderPolicy } from '../store/windows.ts'
import type { KnownValidation } from './comparator.ts'

/**
 * Finds the window that each observation is evidence for, within one transaction that holds the validations' locks.
 *
 * A window belongs to one pair of model versions under one policy. An outcome that carries no version (a time-out
 * has none) counts for the versions known last; a window that began before its versions were known learns them.
 */
export class EvidenceWindows {
  readonly #tx: Tx
  readonly #rows: WindowRow[]
  readonly #touched = new Set<WindowRow>()

  private constructor(tx: Tx, rows: WindowRow[]) {
    this.#tx = tx
    this.#rows = rows
  }

  static async load(tx: Tx, validations: readonly KnownValidation[]): Promise<EvidenceWindows> {
    return new EvidenceWindows(tx, await windowsUnderPolicy(tx, validations))
  }

  async attribute(validation: KnownValidation, observation: Observation, at: EpochMs): Promise<WindowRow> {
    const known = this.#rows.filter((row) => row.validation === validation.name)
    const last = known.reduce<WindowRow | undefined>((a, b) => (a && a.last_at >= b.last_at ? a : b), undefined)
    const primary = versionOf(observation.primary) || last?.primary_version || ''
    const candidate = versionOf(observation.candidate) || last?.candidate_version || ''
    const window =
      known.find((row) => row.primary_version === primary && row.candidate_version === candidate) ??
      learnVersions(known, primary, candidate) ??
      (await this.#begin(validation, primary, candidate, at))
    return window
  }

  /** What an observation that was stored says of its window. */
  count(window: WindowRow, { candidate }: Observation, at: EpochMs): void {
    if (candidate.digest) window.candidate_digest = storableText(candidate.digest)
    if (at < window.began_at.getTime()) window.began_at = new Date(at)
    if (at > window.last_at.getTime()) window.last_at = new Date(at)
    this.#touched.add(window)
  }

  async save(): Promise<void> {
    for (const window of this.#touched) {
      window.revision += 1
      await updateWindow(this.#tx, window)
    }
  }

  async #begin(validation: KnownValidation, primary: string, candidate: string, at: EpochMs): Promise<WindowRow> {
    const row = {
      validation: validation.name,
      primary_version: primary,
      candidate_version: candidate,
      candidate_digest: '',
      policy: validation.policy,
      policy_digest: validation.digest,
      bucket_ms: validation.bucketMs,
      began_at: new Date(at),
      last_at: new Date(at),
      revision: 0,
      slice_values: {},
    }
    const window = { ...row, id: await insertWindow(this.#tx, row) }
    this.#rows.push(window)
    return window
  }
}

const versionOf = (outcome: Outcome) => storableText(outcome.version ?? '')

function learnVersions(known: WindowRow[], primary: string, candidate: string): WindowRow | undefined {
  const fits = (learnt: string, version: string) => learnt === '' || learnt === version
  const window = known.find((row) => fits(row.primary_version, primary) && fits(row.candidate_version, candidate))
  if (window) {
    window.primary_version = primary
    window.candidate_version = candidate
  }
  return window
}
