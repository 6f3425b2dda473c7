/** JSON has neither NaN nor infinities: what is no number is unknown. */
export const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null)
