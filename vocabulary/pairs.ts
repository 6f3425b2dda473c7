/** `GET /v1/validations/{name}/pairs?limit&output&slice`: a uniform sample of what both sides answered, for a scatter. */
export interface PairsView {
  /** What the numbers are: the value (regression, of one number), or the top score (classification). */
  of: 'value' | 'topScore'
  units: string | null
  pairs: { id: string; primary: number; candidate: number }[]
}
