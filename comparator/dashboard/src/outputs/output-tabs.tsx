import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'

/** Chooses one of the answer's outputs; empty if there is only one. */
export function OutputTabs({ validation, route }: { validation: ValidationView; route: ValidationRoute }) {
  const further = validation.outputs ?? []
  if (further.length === 0) return null
  const outputs = [{ name: null, kind: validation.kind }, ...further]
  return (
    <nav class="choice" aria-label="Outputs">
      {outputs.map(({ name, kind }) => (
        <a
          key={name}
          class="choice-option"
          href={formatRoute({ ...route, output: name })}
          aria-current={name === route.output ? 'true' : undefined}
        >
          {name ?? 'main output'} <span class="muted">{kind}</span>
        </a>
      ))}
    </nav>
  )
}
