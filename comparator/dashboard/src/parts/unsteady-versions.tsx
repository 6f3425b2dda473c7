import type { ValidationView } from '../../../../vocabulary/validation.ts'
import { AlarmIcon } from './alarm-icon.tsx'

/** The alarm: evidence is refused, since its versions name no models. */
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
