import { ApiError } from '../../runtime/api-error.ts'

/** Every error code of the comparator's API. A test keeps `docs/ERRORS.md` in step with it. */
export const errorCatalogue = {
  BAD_REQUEST: {
    status: 400,
    meaning: 'the request does not fit the schema; the message says where and what was expected',
  },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'no bearer token or session, one that is unknown or has ended, or an invalid JWT; the message says why',
  },
  FORBIDDEN: { status: 403, meaning: "the token's role may not do this, or no claim of a JWT gives a role" },
  CSRF_MISMATCH: {
    status: 403,
    meaning: "the session cookie came without that session's `x-understudy-csrf` header; nothing was changed",
  },
  OWN_REQUEST: {
    status: 403,
    meaning: 'the requester of a promotion may not approve it where `requesterApproves` is false',
  },
  NOT_FOUND: { status: 404, meaning: 'no such path, validation, observation, gate evaluation or promotion' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'the path does not take this method; `allow` names those it takes' },
  GATE_NOT_PASSED: {
    status: 409,
    meaning: 'the evaluation\'s verdict is not pass, or an override was approved without `"override": true`',
  },
  GATE_STALE: {
    status: 409,
    meaning:
      'the models, the policy or the verdict changed since that evaluation or since the request, or the evaluation is over an hour old',
  },
  PROMOTION_UNDER_WAY: {
    status: 409,
    meaning: 'this validation has a promotion that is requested, rolling out or promoted',
  },
  PROMOTION_STATE: { status: 409, meaning: "the promotion's state does not allow this action" },
  BODY_TOO_LARGE: { status: 413, meaning: 'the request body is over the limit' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'bodies are application/json, or application/x-msgpack for observations, and not compressed',
  },
  TOO_MANY_FAILURES: {
    status: 429,
    meaning: 'too many wrong tokens from this address; try again after the seconds in `retry-after`',
  },
  INTERNAL: { status: 500, meaning: 'an internal error; the log has the cause under the same request id' },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'the database or the OpenID Connect issuer does not answer, the disk of an embedded database is nearly full, a transaction was undone for the sake of others, or the service is stopping: try again after the seconds in `retry-after`; or a comparator that started later has another policy',
  },
} as const
export type ErrorCode = keyof typeof errorCatalogue

/** An error to throw. `details` are for programs that need more than the code. */
export function failure(code: ErrorCode, message: string, details: unknown = null): ApiError {
  return new ApiError(errorCatalogue[code].status, code, message, details)
}

/** The error for a query parameter that fits its schema but means nothing here. */
export function refusedParameter(path: string, expected: string, got: string): ApiError {
  return failure('BAD_REQUEST', `${path}: expected ${expected}, got ${got}`, [{ in: 'query', path, expected }])
}
