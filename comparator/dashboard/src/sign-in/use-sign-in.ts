import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionView, SignedOut } from '../../../../vocabulary/api/session.ts'
import { type ApiRequest, type ApiResult, callApi } from '../api/call-api.ts'
import type { Session } from '../api/session-context.ts'
import { takeFromAddress } from './address-bar.ts'
import { problemWords } from './problem-words.ts'

export type SignInState =
  /** `token`: to be exchanged for a session; `null`: the browser may already have one. */
  | { kind: 'checking'; token: string | null }
  /** `issuerSignOut`: the page of the issuer on which its own session ends. */
  | { kind: 'signedOut'; sentence: string | null; issuerSignOut?: string }
  | { kind: 'unreachable'; token: string | null; sentence: string }
  | { kind: 'signedIn'; view: SessionView }

export interface SignIn {
  state: SignInState
  session: Session | null
  /** `null`: checks again whether there is a session. */
  submit: (token: string | null) => void
}

const ended = 'Your session has ended. Sign in again to return to where you were.'

/**
 * Exchanges a token for a session. The token is sent once and never stored; the session is a cookie that scripts cannot
 * read.
 */
export function useSignIn(): SignIn {
  const [state, setState] = useState<SignInState>(() => broughtState() ?? { kind: 'checking', token: null })
  const submit = useCallback((token: string | null) => setState({ kind: 'checking', token }), [])

  useEffect(() => {
    const take = () => {
      const brought = broughtState()
      if (brought) setState(brought)
    }
    addEventListener('hashchange', take)
    take()
    return () => removeEventListener('hashchange', take)
  }, [])

  useEffect(() => {
    if (state.kind !== 'checking') return
    const stopped = new AbortController()
    const { token } = state
    const body = token === null ? {} : { method: 'POST' as const, body: { token } }
    callApi<SessionView>('/v1/session', { ...body, signal: stopped.signal }).then((result) => {
      // a newer token may have been submitted, whose check starts only after the next paint
      setState((now) => (now === state && !stopped.signal.aborted ? stateAfter(token, result) : now))
    })
    return () => stopped.abort()
  }, [state])

  // the session is the browser's: someone may have signed in from another tab before coming back to this one
  useEffect(() => {
    if (state.kind !== 'signedOut') return
    const stopped = new AbortController()
    const { signal } = stopped
    const look = async () => {
      const result = await callApi<SessionView>('/v1/session', { signal })
      if (result.kind === 'ok') setState((now) => (now === state ? { kind: 'signedIn', view: result.data } : now))
    }
    addEventListener('focus', look, { signal })
    return () => stopped.abort()
  }, [state])

  const session = useMemo<Session | null>(() => {
    if (state.kind !== 'signedIn') return null
    const { csrf } = state.view
    /** A late answer must not end the session that someone has begun since. */
    const leave = (next: SignInState) => setState((now) => (now === state ? next : now))
    return {
      ...state.view,
      signOut: () => {
        callApi<SignedOut | null>('/v1/session', { method: 'DELETE', csrf }).then((result) => {
          if (result.kind === 'ok') setState({ kind: 'signedOut', sentence: null, ...result.data })
          else if (result.status === 401) setState({ kind: 'signedOut', sentence: null })
          // the session now belongs to someone who signed in from another tab, so it must not be ended here
          else submit(null)
        })
      },
      call: async <Data>(path: string, request: ApiRequest = {}) => {
        const changes = request.method !== undefined && request.method !== 'GET'
        const result = await callApi<Data>(path, changes ? { ...request, csrf } : request)
        if (result.kind === 'failed' && result.status === 401) leave({ kind: 'signedOut', sentence: ended })
        if (result.kind === 'failed' && result.code === 'CSRF_MISMATCH') leave({ kind: 'checking', token: null })
        return result
      },
    }
  }, [state, submit])

  return { state, session, submit }
}

function broughtState(): SignInState | null {
  const brought = takeFromAddress()
  if (brought === null) return null
  return brought.kind === 'token'
    ? { kind: 'checking', token: brought.token }
    : { kind: 'signedOut', sentence: problemWords[brought.problem] }
}

function stateAfter(token: string | null, result: ApiResult<SessionView>): SignInState {
  if (result.kind === 'ok') return { kind: 'signedIn', view: result.data }
  const { status, message } = result
  // nobody has signed in yet, which is not an error
  if (token === null && status === 401) return { kind: 'signedOut', sentence: null }
  if (status === 401) {
    return { kind: 'signedOut', sentence: 'The comparator does not know this token. Check that it was copied in full.' }
  }
  if (status === 403) {
    const sentence = 'This token may only deliver observations. Sign in with one whose role is viewer or higher.'
    return { kind: 'signedOut', sentence }
  }
  if (status === 429 || status === 400) return { kind: 'signedOut', sentence: `${message}.` }
  return { kind: 'unreachable', token, sentence: message }
}
