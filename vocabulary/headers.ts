/** On the shadow leg only; a client's own copies of these are removed from the primary's leg too. */
export const shadowHeader = 'x-understudy-shadow'
export const observationHeader = 'x-understudy-observation'

/** Set to `primary` on an answer that a client has from there because the live candidate had none. */
export const answeredByHeader = 'x-understudy-answered-by'

/** Our candidate server's; another server's version header is named in `capture.versionHeader`. */
export const modelNameHeader = 'x-model-name'
export const modelVersionHeader = 'x-model-version'
export const modelDigestHeader = 'x-model-digest'

/** What a page sends beside its session's cookie with everything that changes something. */
export const csrfHeader = 'x-understudy-csrf'
