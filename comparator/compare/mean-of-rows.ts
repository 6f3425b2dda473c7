/**
 * The differences of one exchange: the means over its rows, field by field, so that an exchange counts once. Rows where
 * a field is `null` do not count in its mean.
 */
export function meanOfRows<Row extends object>(rows: readonly Row[]): Row {
  if (rows.length === 1) return rows[0]!
  const means = Object.keys(rows[0]!).map((field) => {
    const values = rows.map((row) => row[field as keyof Row]).filter((value) => value !== null)
    return [field, typeof values[0] === 'number' ? mean(values as number[]) : (values[0] ?? null)]
  })
  return Object.fromEntries(means)
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
