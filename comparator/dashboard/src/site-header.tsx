import type { Session } from './api/session-context.ts'
import { allAlarms } from './mirrors/all-alarms.ts'
import { useMirrors } from './mirrors/mirrors-context.tsx'
import { Wordmark } from './parts/wordmark.tsx'
import type { Route } from './routing/hash-route.ts'

export function SiteHeader({ session, route, skipTo }: { session: Session; route: Route; skipTo: () => void }) {
  const current = (page: Route['page']) => (route.page === page ? ('page' as const) : undefined)
  return (
    <header class="site-header">
      <button class="skip-link" type="button" onClick={skipTo}>
        Skip to content
      </button>
      <a class="home" href="#/" aria-label="Understudy, overview">
        <Wordmark />
      </a>
      <nav aria-label="Pages">
        <a href="#/" aria-current={current('overview')}>
          Validations
        </a>
        <a href="#/mirrors" aria-current={current('mirrors')}>
          Mirrors
          <AlarmCount />
        </a>
        <a href="#/audit" aria-current={current('audit')}>
          Audit
        </a>
      </nav>
      <div class="who">
        <span>
          {session.name} <span class="muted">· {session.role}</span>
        </span>
        <button class="button button-quiet" type="button" onClick={session.signOut}>
          Sign out
        </button>
      </div>
    </header>
  )
}

/** Number of alarms of mirrors and candidate servers, shown on every page. */
function AlarmCount() {
  const { data } = useMirrors()
  const count = data === null ? 0 : allAlarms(data).length
  if (count === 0) return null
  return (
    <span class="nav-badge" data-testid="alarm-count">
      {count}
      <span class="visually-hidden"> {count === 1 ? 'alarm' : 'alarms'}</span>
    </span>
  )
}
