/** Sent on the shadow leg only; a client's own headers of these names are removed from the primary's leg too. */
export const shadowHeader = 'x-understudy-shadow'
export const observationHeader = 'x-understudy-observation'

/** Set to `primary` on an answer that the primary gave because the live candidate had none. */
export const answeredByHeader = 'x-understudy-answered-by'

/** Set by our candidate server; for another server, `capture.versionHeader` names its version header. */
export const modelNameHeader = 'x-model-name'
export const modelVersionHeader = 'x-model-version'
export const modelDigestHeader = 'x-model-digest'

/** Sent by a page beside its session cookie with every request that changes something. */
export const csrfHeader = 'x-understudy-csrf'
