import { useState } from 'preact/hooks'
import { Wordmark } from '../parts/wordmark.tsx'
import type { SignIn } from './use-sign-in.ts'

export function SignInPage({ state, submit }: Pick<SignIn, 'state' | 'submit'>) {
  const [token, setToken] = useState('')
  const sentence = state.kind === 'signedOut' || state.kind === 'unreachable' ? state.sentence : null
  return (
    <main class="sign-in">
      <Wordmark />
      <h1>Sign in</h1>
      <p class="muted">
        The comparator’s configuration lists who may read and who may approve. Your token stays in this tab.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (token.trim() !== '') submit(token.trim())
        }}
      >
        <label for="token">Access token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token}
          aria-describedby={sentence ? 'sign-in-problem' : undefined}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        {sentence && (
          <p class="form-problem" id="sign-in-problem" role="alert">
            {sentence}
          </p>
        )}
        <div class="button-row">
          <button class="button button-strong" type="submit" disabled={state.kind === 'checking'}>
            {state.kind === 'checking' ? 'Signing in…' : 'Sign in'}
          </button>
          {state.kind === 'unreachable' && (
            <button class="button" type="button" onClick={() => submit(state.token)}>
              Try again
            </button>
          )}
        </div>
      </form>
    </main>
  )
}
