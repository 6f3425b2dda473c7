import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SignInWays } from '../../../../vocabulary/api/session.ts'
import { callApi } from '../api/call-api.ts'
import { usePageTitle } from '../parts/use-page-title.ts'
import { Wordmark } from '../parts/wordmark.tsx'
import type { SignIn, SignInState } from './use-sign-in.ts'

export function SignInPage({ state, submit }: Pick<SignIn, 'state' | 'submit'>) {
  const ways = useWays()
  // whether a session exists is known within a moment; until then there is no form
  if (state.kind === 'checking' && state.token === null) return <main class="sign-in" aria-busy="true" />
  return <SignInCard state={state} submit={submit} ways={ways} />
}

interface SignInCardProps {
  state: SignInState
  submit: SignIn['submit']
  ways: SignInWays | null
}

function SignInCard({ state, submit, ways }: SignInCardProps) {
  usePageTitle('Sign in')
  const sentence = state.kind === 'signedOut' || state.kind === 'unreachable' ? state.sentence : null
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Wordmark />
        <div class="sign-in-head">
          <h1>Sign in</h1>
          <p class="muted">Review the evidence, and decide what goes live.</p>
        </div>
        {sentence && (
          <p class="form-problem sign-in-problem" id="sign-in-problem" role="alert">
            {sentence}
          </p>
        )}
        {state.kind === 'signedOut' && state.issuerSignOut !== undefined && (
          <p class="muted" role="status">
            You have signed out here. <a href={state.issuerSignOut}>Sign out at {new URL(state.issuerSignOut).host}</a>{' '}
            too if others use this browser.
          </p>
        )}
        {state.kind === 'unreachable' && (
          <button class="button" type="button" onClick={() => submit(state.token)}>
            Try again
          </button>
        )}
        {ways?.oidc && (
          <a class="button button-strong" href={`/v1/session/oidc?return=${encodeURIComponent(pageNow())}`}>
            Continue with {ways.oidc.host}
          </a>
        )}
        {ways?.oidc && ways.token && <p class="sign-in-or">or</p>}
        {(ways === null || ways.token) && (
          <TokenForm state={state} submit={submit} strong={!ways?.oidc} describedBy={sentence && 'sign-in-problem'} />
        )}
      </div>
      <p class="sign-in-note muted">
        Tokens and their roles are set in the comparator’s configuration. Yours is exchanged for a session that expires;
        this page does not keep it.
      </p>
    </main>
  )
}

interface TokenFormProps extends Pick<SignInCardProps, 'state' | 'submit'> {
  strong: boolean
  describedBy: string | null
}

function TokenForm({ state, submit, strong, describedBy }: TokenFormProps) {
  const [token, setToken] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // after a refusal the token has to be typed again, so the cursor goes to the field
  useLayoutEffect(() => {
    if (state.kind === 'signedOut') field.current?.focus()
  }, [state])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (token.trim() !== '') submit(token.trim())
      }}
    >
      <label for="token">Access token</label>
      <input
        id="token"
        ref={field}
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        required
        value={token}
        aria-invalid={describedBy !== null}
        aria-describedby={describedBy ?? undefined}
        onInput={(event) => setToken(event.currentTarget.value)}
      />
      <button class={strong ? 'button button-strong' : 'button'} type="submit" disabled={state.kind === 'checking'}>
        {state.kind === 'checking' ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
}

/** `null` until the comparator has answered; if it does not, a token can still be tried. */
function useWays(): SignInWays | null {
  const [ways, setWays] = useState<SignInWays | null>(null)
  useEffect(() => {
    const stopped = new AbortController()
    callApi<SignInWays>('/v1/session/ways', { signal: stopped.signal }).then((result) => {
      if (!stopped.signal.aborted && result.kind === 'ok') setWays(result.data)
    })
    return () => stopped.abort()
  }, [])
  return ways
}

/** After signing in, the reader returns to the requested page. */
function pageNow(): string {
  return location.hash.startsWith('#/') ? location.hash : '#/'
}
