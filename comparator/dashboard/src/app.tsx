import { useLayoutEffect, useRef } from 'preact/hooks'
import { SessionContext } from './api/session-context.ts'
import { AuditPage } from './audit/audit-page.tsx'
import { MirrorsProvider } from './mirrors/mirrors-context.tsx'
import { MirrorsPage } from './mirrors/mirrors-page.tsx'
import { ObservationPage } from './observation/observation-page.tsx'
import { ObservationsPage } from './observation-list/observations-page.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { LiveStrip } from './promotion/live-strip.tsx'
import type { Route } from './routing/hash-route.ts'
import { useAnchor } from './routing/use-anchor.ts'
import { useRoute } from './routing/use-route.ts'
import { SignInPage } from './sign-in/sign-in.tsx'
import { useSignIn } from './sign-in/use-sign-in.ts'
import { SiteHeader } from './site-header.tsx'
import { ValidationPage } from './validation/validation-page.tsx'

export function App() {
  const signIn = useSignIn()
  const route = useRoute()
  const main = useRef<HTMLElement>(null)
  const place = 'name' in route ? `${route.page} ${route.name}` : route.page
  const arrived = useRef(place)

  useLayoutEffect(() => {
    if (arrived.current === place) return
    arrived.current = place
    scrollTo(0, 0)
    main.current?.focus({ preventScroll: true })
  }, [place])
  useAnchor('at' in route ? route.at : null, `${place} ${signIn.session !== null}`, main)

  if (signIn.session === null) return <SignInPage {...signIn} />
  return (
    <SessionContext.Provider value={signIn.session}>
      <MirrorsProvider>
        <SiteHeader session={signIn.session} route={route} skipTo={() => main.current?.focus()} />
        <LiveStrip place={place} />
        <main class="page" ref={main} tabIndex={-1}>
          <Page key={place} route={route} />
        </main>
      </MirrorsProvider>
    </SessionContext.Provider>
  )
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'overview':
      return <OverviewPage />
    case 'mirrors':
      return <MirrorsPage />
    case 'validation':
      return <ValidationPage route={route} />
    case 'observations':
      return <ObservationsPage route={route} />
    case 'observation':
      return <ObservationPage route={route} />
    case 'audit':
      return <AuditPage route={route} />
    case 'notFound':
      return (
        <EmptyState title="There is no such page" heading="h1">
          <a href="#/">Go to the overview</a>
        </EmptyState>
      )
  }
}
