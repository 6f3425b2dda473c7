import type { Observation } from '../../../vocabulary/observation.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { Tx } from '../../store/open-database.ts'
import type { WindowRow } from '../../store/tables.ts'
import {
  countWindowsBegun,
  insertWindow,
  updateWindow,
  windowOfModels,
  windowsUnderPolicy,
} from '../../store/windows.ts'
import type { KnownValidation } from '../comparator.ts'
import { fits, learn, type Models, modelsNamed, namesAllOf, windowAt, withUnnamed } from '../models.ts'
import { hourOfWindows, windowsBegunMax } from './limit-windows.ts'

/**
 * Finds the window that each observation is evidence for, within one transaction that holds the validations' locks.
 *
 * A window belongs to one pair of models, each known by its version and its file's digest, under one policy. What an
 * outcome does not say (a time-out says nothing) is that of the window which its `at` falls in; what a window does not
 * know it learns. Each of two windows knows something that the other contradicts, so no order of arrival makes one of
 * them become the other.
 *
 * A version that changes with nearly each answer names no model: `windowsBegunMax` bounds the windows that it begins.
 */
export class EvidenceWindows {
  readonly #tx: Tx
  readonly #rows: WindowRow[]
  readonly #touched = new Set<WindowRow>()
  /** How many windows began in an hour, by hour and validation. */
  readonly #begun = new Map<string, number>()

  private constructor(tx: Tx, rows: WindowRow[]) {
    this.#tx = tx
    this.#rows = rows
  }

  static async load(tx: Tx, validations: readonly KnownValidation[]): Promise<EvidenceWindows> {
    return new EvidenceWindows(tx, await windowsUnderPolicy(tx, validations))
  }

  /** `undefined`: it would begin one too many. */
  async attribute(validation: KnownValidation, observation: Observation, at: EpochMs): Promise<WindowRow | undefined> {
    const known = this.#rows.filter((row) => row.validation === validation.name)
    const named = modelsNamed(observation)
    const fitting = known.filter((row) => fits(row, named))
    const window =
      windowAt(fitting, at) ?? (await this.#findOrBegin(validation, withUnnamed(named, windowAt(known, at)), at))
    if (window) learn(window, named)
    return window
  }

  /** What an observation that was stored says of its window: one that does not say of which models it is begins none. */
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
    // models that come again after many others
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
