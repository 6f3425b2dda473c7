/** Minimum of observations for calling a slice worse than the rest, whatever its bound. */
export const sliceSamplesMin = 30
