import type { OutputMapping } from '../../../../vocabulary/mapping/output-mapping.ts'
import { type Chance, exampleObservation } from './example-observation.ts'

/** Delivers one observation to this comparator by hand; ready to paste into a shell. */
export function observationCommand(
  comparator: string,
  validation: { name: string; output: OutputMapping },
  chance: Chance,
): string {
  const observations = [exampleObservation(validation.name, validation.output, chance)]
  const json = JSON.stringify({ observations }, null, 1).replace(/\n +/g, ' ').replace(/\n/g, ' ')
  return `curl ${comparator}/v1/observations \\
  -H "authorization: Bearer $UNDERSTUDY_INGEST_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '${json.replaceAll("'", "'\\''")}'
`
}
