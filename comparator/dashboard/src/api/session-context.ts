import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SessionView } from '../../../../vocabulary/api/session.ts'
import type { ApiRequest, ApiResult } from './call-api.ts'

export interface Session extends SessionView {
  call: <Data>(path: string, request?: ApiRequest) => Promise<ApiResult<Data>>
  signOut: () => void
}

export const SessionContext = createContext<Session | null>(null)

/** The signed-in reader; available on every page except the sign-in. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('a page was drawn without a session')
  return session
}
