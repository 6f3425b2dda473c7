import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { AlarmIcon } from './alarm-icon.tsx'

/** The alarm that evidence is being refused because its versions do not identify models. */
export function UnsteadyVersions({ validation }: { validation: Pick<ValidationView, 'unsteadyVersions'> }) {
  const { unsteadyVersions } = validation
  if (unsteadyVersions === undefined) return null
  return (
    <div class="alarm">
      <AlarmIcon />
      <p>
        <strong role="status">Evidence is refused:</strong> {unsteadyVersions}.
      </p>
    </div>
  )
}
