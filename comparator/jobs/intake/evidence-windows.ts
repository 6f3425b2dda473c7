import type { Observation } from '../../../vocabulary/observation.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { Tx } from '../../store/database/open-database.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import {
  countWindowsBegun,
  insertWindow,
  updateWindow,
  windowOfModels,
  windowsUnderPolicy,
} from '../../store/gate/windows.ts'
import type { KnownValidation } from '../comparator.ts'
import { fits, learn, type Models, modelsNamed, namesAllOf, windowAt, withUnnamed } from '../models.ts'
import { hourOfWindows, windowsBegunMax } from './limit-windows.ts'

/**
 * Finds the window that each observation is evidence for, within one transaction that holds the validations' locks.
 *
 * A window belongs to one pair of models under one policy. A model is identified by its version and its file's digest.
 * Where an outcome does not name its model (a time-out never does), it takes that of the window which its `at` falls
 * in. Where a window does not know a version or digest yet, it learns it from its observations. Any two windows
 * contradict each other in at least one of these, so no order of arrival can turn one into the other.
 *
 * A version that changes with nearly every answer names no model: `windowsBegunMax` bounds the windows that it begins.
 */
export class EvidenceWindows {
  readonly #tx: Tx
  readonly #rows: WindowRow[]
  readonly #touched = new Set<WindowRow>()
  /** Number of windows begun, by hour and validation. */
  readonly #begun = new Map<string, number>()

  private constructor(tx: Tx, rows: WindowRow[]) {
    this.#tx = tx
    this.#rows = rows
  }

  static async load(tx: Tx, validations: readonly KnownValidation[]): Promise<EvidenceWindows> {
    return new EvidenceWindows(tx, await windowsUnderPolicy(tx, validations))
  }

  /** The observation's window; `undefined` if it would begin one too many. */
  async attribute(validation: KnownValidation, observation: Observation, at: EpochMs): Promise<WindowRow | undefined> {
    const known = this.#rows.filter((row) => row.validation === validation.name)
    const named = modelsNamed(observation)
    const fitting = known.filter((row) => fits(row, named))
    const window =
      windowAt(fitting, at) ?? (await this.#findOrBegin(validation, withUnnamed(named, windowAt(known, at)), at))
    if (window) learn(window, named)
    return window
  }

  /** Extends its window to a stored observation; to an earlier start only if the observation names its models. */
  count(window: WindowRow, observation: Observation, at: EpochMs): void {
    const isEarlier = at < window.began_at.getTime()
    if (isEarlier && namesAllOf(window, modelsNamed(observation))) window.began_at = new Date(at)
    if (at > window.last_at.getTime()) window.last_at = new Date(at)
    this.#touched.add(window)
  }

  async save(): Promise<void> {
    for (const window of this.#touched) {
      window.revision += 1
      await updateWindow(this.#tx, window)
    }
  }

  async #findOrBegin(validation: KnownValidation, models: Models, at: EpochMs): Promise<WindowRow | undefined> {
    const key = { ...models, validation: validation.name, policy_digest: validation.digest }
    // the window may exist but not be loaded: models can come back after many others
    const window = (await windowOfModels(this.#tx, key)) ?? (await this.#begin(validation, models, at))
    if (window) this.#rows.push(window)
    return window
  }

  async #begin(validation: KnownValidation, models: Models, at: EpochMs): Promise<WindowRow | undefined> {
    const hour = hourOfWindows(at)
    const key = `${hour.from} ${validation.name}`
    const begun = this.#begun.get(key) ?? (await countWindowsBegun(this.#tx, validation, hour))
    this.#begun.set(key, begun + 1)
    if (begun >= windowsBegunMax) return undefined
    const row = {
      ...models,
      validation: validation.name,
      policy: validation.policy,
      policy_digest: validation.digest,
      bucket_ms: validation.bucketMs,
      began_at: new Date(at),
      last_at: new Date(at),
      revision: 0,
      slice_values: {},
    }
    return { ...row, id: await insertWindow(this.#tx, row) }
  }
}
