import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionView } from '../../../../vocabulary/api.ts'
import { type ApiRequest, callApi } from '../api/call-api.ts'
import type { Session } from './session-context.ts'
import { storedToken, storeToken, takeTokenFromAddress } from './token.ts'

type State =
  | { kind: 'signedOut'; sentence: string | null }
  | { kind: 'checking'; token: string }
  | { kind: 'unreachable'; token: string; sentence: string }
  | { kind: 'signedIn'; token: string; view: SessionView }

export type SignIn = { state: State; session: Session | null; submit: (token: string) => void }

/** Token in, session out: the comparator says whom a token belongs to; a 401 at any later call ends the session. */
export function useSignIn(): SignIn {
  const [state, setState] = useState<State>(() => {
    const token = takeTokenFromAddress() ?? storedToken()
    return token ? { kind: 'checking', token } : { kind: 'signedOut', sentence: null }
  })

  const signOut = useCallback((sentence: string | null) => {
    storeToken(null)
    setState({ kind: 'signedOut', sentence })
  }, [])

  const submit = useCallback((token: string) => setState({ kind: 'checking', token }), [])

  useEffect(() => {
    const take = () => {
      const token = takeTokenFromAddress()
      if (token) submit(token)
    }
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [submit])

  const checkedToken = state.kind === 'checking' ? state.token : null
  useEffect(() => {
    if (checkedToken === null) return
    const stopped = new AbortController()
    callApi<SessionView>(checkedToken, '/v1/session', { signal: stopped.signal }).then((result) => {
      if (stopped.signal.aborted) return
      if (result.kind === 'ok') {
        if (result.data.role === 'ingest') {
          return signOut('This token may only deliver observations. Sign in with one whose role is viewer or higher.')
        }
        storeToken(checkedToken)
        setState({ kind: 'signedIn', token: checkedToken, view: result.data })
      } else if (result.status === 401) {
        signOut('The comparator does not know this token. Check that it was copied whole.')
      } else {
        setState({ kind: 'unreachable', token: checkedToken, sentence: result.message })
      }
    })
    return () => stopped.abort()
  }, [checkedToken, signOut])

  const session = useMemo<Session | null>(() => {
    if (state.kind !== 'signedIn') return null
    return {
      ...state.view,
      signOut: () => signOut(null),
      call: async <Data>(path: string, request?: ApiRequest) => {
        const result = await callApi<Data>(state.token, path, request)
        if (result.kind === 'failed' && result.status === 401) {
          signOut('Your session has ended: the comparator no longer accepts this token. Please sign in again.')
        }
        return result
      },
    }
  }, [state, signOut])

  return { state, session, submit }
}
