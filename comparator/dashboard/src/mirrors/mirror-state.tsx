import type { MirrorView } from '../../../../vocabulary/mirrors.ts'
import { AlarmIcon } from '../parts/alarm-icon.tsx'

const words: Record<MirrorView['state'], string> = { reporting: 'Reporting', silent: 'Silent', stopped: 'Stopped' }

/** Icon, word and colour: a ring with a dot, a triangle, a square. */
export function MirrorState({ state }: { state: MirrorView['state'] }) {
  return (
    <span class={`mirror-state mirror-state-${state}`}>
      {state === 'silent' ? (
        <AlarmIcon />
      ) : (
        <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
          {state === 'reporting' ? (
            <>
              <circle class="line" cx="8" cy="8" r="6.4" />
              <circle class="solid" cx="8" cy="8" r="3" />
            </>
          ) : (
            <rect class="line" x="2.6" y="2.6" width="10.8" height="10.8" rx="1.5" />
          )}
        </svg>
      )}
      {words[state]}
    </span>
  )
}
