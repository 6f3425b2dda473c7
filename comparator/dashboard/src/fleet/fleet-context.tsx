import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { MirrorsView } from '../../../../vocabulary/mirrors.ts'
import { mirrorReportMs } from '../../../../vocabulary/report-pace.ts'
import { type Polled, usePolled } from '../api/use-polled.ts'

const FleetContext = createContext<Polled<MirrorsView> | null>(null)

/** Polls mirrors and candidate servers once for all components, as often as mirrors report. */
export function FleetProvider({ children }: { children: ComponentChildren }) {
  const polled = usePolled<MirrorsView>('mirrors', () => '/v1/mirrors', mirrorReportMs)
  return <FleetContext.Provider value={polled}>{children}</FleetContext.Provider>
}

export function useFleet(): Polled<MirrorsView> {
  const polled = useContext(FleetContext)
  if (polled === null) throw new Error('there is no fleet outside of its provider')
  return polled
}
