/** By what names of headers with credentials contain; `author`, `x-authored-by` and `authority` are none. */
const contained =
  /auth(?!or(?!i[sz]))|(?:access|api|app)[-_]?key|cookie|credential|csrf|dpop|jwt|oidc|passw|saml|secret|session|signature|token|xsrf/

/** And how they end; these keys open nothing. */
const ending = /(?<!(?:cache|idempotency|partition|routing|shard|surrogate))[-_]key$/

/** Of a header's name in lower case. */
export const isCredentialName = (name: string) => contained.test(name) || ending.test(name)
