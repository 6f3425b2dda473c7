/**
 * `GET /v1/validations/{name}/observations`: of the current window the worst, or a uniform sample of all (`typical`);
 * or of all windows the newest.
 */
export const observationOrders = ['worst', 'newest', 'typical'] as const
export type ObservationOrder = (typeof observationOrders)[number]

export const comparisonKinds = ['compared', 'failed', 'skipped'] as const
export type ComparisonKind = (typeof comparisonKinds)[number]
