import type { Comparator } from './comparator.ts'
import { evaluateNow } from './evaluate-gate.ts'

/** Judges every gate, so that a verdict that turns is noted, and told, whether or not anyone looks. */
export async function noteVerdicts(comparator: Comparator): Promise<void> {
  for (const validation of comparator.validations.values()) {
    try {
      await evaluateNow(comparator, validation)
    } catch (error) {
      comparator.logger.error({ err: error, validation: validation.name }, 'a gate could not be judged')
    }
  }
}
