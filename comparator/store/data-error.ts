/** SQLSTATE classes that speak of the data: an exception in it, a constraint, a limit of the program's. */
const classes = ['22', '23', '54']
const noPartition = '23514'

/** What the database refuses for what it holds, whenever it is tried; other errors may pass. */
export function isDataError(error: unknown): error is Error {
  return error instanceof Error && classes.some((class_) => codeOf(error)?.startsWith(class_))
}

/** No partition for a row: another process dropped it, by another retention. */
export function isMissingPartition(error: unknown): boolean {
  return codeOf(error) === noPartition
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code.length === 5 ? code : undefined
}
