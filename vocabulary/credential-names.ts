/** Parts of names of headers that carry credentials; `author`, `x-authored-by` and `authority` must not match. */
const contained =
  /auth(?!or(?!i[sz]))|(?:access|api|app)[-_]?key|bearer|cookie|credential|csrf|dpop|jwt|oidc|pass(?:code|phrase|w)|saml|secret|session|signature|token|xsrf/

/** Endings of such names; the excluded keys give access to nothing. */
const ending = /(?<!(?:cache|idempotency|partition|routing|shard|surrogate))[-_]key$/

/** Whole words that mark such a name. */
const word = /(?:^|[-_])(?:otp|pass|pin|pwd|sid|sig|sign)$/

/** Whether a header (in lower case) carries a credential, judged by its name. */
export const isCredentialName = (name: string) => contained.test(name) || ending.test(name) || word.test(name)
