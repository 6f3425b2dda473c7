const storageKey = 'understudy.token'

/** The token that this tab signed in with; a closed tab forgets it. */
export function storedToken(): string | null {
  return sessionStorage.getItem(storageKey)
}

export function storeToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, token)
}

/** `#token=…`, as the demo prints it, taken once: it does not stay in the address bar nor in the history. */
export function takeTokenFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.replace(/^#/, '')).get('token')
  if (!location.hash.startsWith('#token=')) return null
  history.replaceState(null, '', '#/')
  return token
}
