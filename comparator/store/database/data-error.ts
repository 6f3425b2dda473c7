/** SQLSTATE classes of errors in the data: data exception, constraint violation, program limit exceeded. */
const classes = ['22', '23', '54']
const noPartition = '23514'

/** Whether the database refuses the data itself, so that trying again is pointless. */
export function isDataError(error: unknown): error is Error {
  return error instanceof Error && classes.some((class_) => codeOf(error)?.startsWith(class_))
}

/** Whether a row has no partition: another process, with a shorter retention, dropped it. */
export function isMissingPartition(error: unknown): boolean {
  return codeOf(error) === noPartition
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code.length === 5 ? code : undefined
}
