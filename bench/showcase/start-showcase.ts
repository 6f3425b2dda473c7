import { join } from 'node:path'
import { type ComparatorConfig, comparatorSchema } from '../../comparator/config.ts'
import { type RunningComparator, startComparator } from '../../comparator/server.ts'
import type { Clock } from '../../runtime/clock.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { digitValidations } from './digits.ts'
import { doorwayValidations } from './doorways.ts'
import { HandClock } from './hand-clock.ts'
import { playHistory, storyMs } from './history.ts'
import { invoiceValidations } from './invoices.ts'
import { tokenConfig } from './people.ts'
import { priceValidations } from './prices.ts'
import { summaryValidations } from './summaries.ts'

const validations = [
  ...digitValidations,
  ...priceValidations,
  ...doorwayValidations,
  ...summaryValidations,
  ...invoiceValidations,
]

/** The moment shown is fixed, so that the story and the pictures are always the same. */
export const moment: EpochMs = Date.UTC(2026, 10, 20, 9, 30)

/**
 * A comparator whose stored traffic fills every view of the dashboard: all kinds of output, all verdicts, all states, a
 * history, people who disagree, a mirror in trouble. Its clock stands still at `moment`.
 */
export async function startShowcase(directory: string): Promise<RunningComparator> {
  const clock = new HandClock(moment - storyMs)
  const comparator = await start(join(directory, 'showcase'), validations, clock)
  try {
    await playHistory(comparator.url, clock, moment)
    return comparator
  } catch (error) {
    await comparator.stop()
    throw error
  }
}

/** A comparator on its first day, before anything has arrived. */
export function startEmpty(directory: string): Promise<RunningComparator> {
  const fresh = [priceValidations[2], digitValidations[1]]
  return start(join(directory, 'empty'), fresh, new HandClock(moment))
}

function start(directory: string, validations: unknown[], clock: Clock): Promise<RunningComparator> {
  const raw = {
    listen: '127.0.0.1:0',
    database: `embedded:${directory}`,
    tokens: tokenConfig,
    retention: { observations: '60d', bodies: '60d' },
    session: { duration: '30d' },
    validations,
  }
  const { value, problems } = decodeSection(raw, 'comparator', comparatorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return startComparator({ config: value as ComparatorConfig, logger: createLogger('showcase', 'error'), clock })
}
