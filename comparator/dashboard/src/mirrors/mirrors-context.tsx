import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { MirrorsView } from '../../../../vocabulary/mirrors.ts'
import { mirrorReportMs } from '../../../../vocabulary/report-pace.ts'
import { type Polled, usePolled } from '../api/use-polled.ts'

const MirrorsContext = createContext<Polled<MirrorsView> | null>(null)

/** Polls mirrors and candidate servers once for all components, as often as mirrors report. */
export function MirrorsProvider({ children }: { children: ComponentChildren }) {
  const polled = usePolled<MirrorsView>('mirrors', () => '/v1/mirrors', mirrorReportMs)
  return <MirrorsContext.Provider value={polled}>{children}</MirrorsContext.Provider>
}

export function useMirrors(): Polled<MirrorsView> {
  const polled = useContext(MirrorsContext)
  if (polled === null) throw new Error('there are no mirrors outside of their provider')
  return polled
}
