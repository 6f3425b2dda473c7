/** `null` for NaN and infinities, which JSON lacks. */
export const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null)
