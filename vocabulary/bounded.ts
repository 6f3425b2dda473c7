/** An estimate with its bounds, as the gate draws them; `null` where there is too little evidence for one. */
export interface Bounded {
  estimate: number | null
  lower: number | null
  upper: number | null
  n: number
}
