/** By what names of headers with credentials contain; `author`, `x-authored-by` and `authority` are none. */
const contained =
  /auth(?!or(?!i[sz]))|(?:access|api|app)[-_]?key|bearer|cookie|credential|csrf|dpop|jwt|oidc|pass(?:code|phrase|w)|saml|secret|session|signature|token|xsrf/

/** And how they end; these keys open nothing. */
const ending = /(?<!(?:cache|idempotency|partition|routing|shard|surrogate))[-_]key$/

/** Words that say so alone. */
const word = /(?:^|[-_])(?:otp|pass|pin|pwd|sid|sig|sign)$/

/** Of a header's name in lower case. */
export const isCredentialName = (name: string) => contained.test(name) || ending.test(name) || word.test(name)
