/**
 * Orders of `GET /v1/validations/{name}/observations`: `worst` and `typical` (a uniform sample) are of the current
 * window, `newest` of all windows.
 */
export const observationOrders = ['worst', 'newest', 'typical'] as const
export type ObservationOrder = (typeof observationOrders)[number]

export const comparisonKinds = ['compared', 'failed', 'skipped'] as const
export type ComparisonKind = (typeof comparisonKinds)[number]
