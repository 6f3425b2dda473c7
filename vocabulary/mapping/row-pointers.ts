import { stepsOf } from './pointer-steps.ts'

/** The number of `*` in a pointer; each stands for the index of a row in a response with several. */
export const rowSteps = (pointer: string): number => stepsOf(pointer).filter((step) => step === '*').length

/** Whether a classification's mapping reads several rows from a response. */
export function hasRows(mapping: { scores?: unknown; label?: unknown; primary?: unknown }): boolean {
  const { scores, label } = { ...mapping, ...(mapping.primary as object | undefined) }
  const pointer = scores ?? label
  return typeof pointer === 'string' && rowSteps(pointer) > 0
}

/** The pointer to the list of rows. */
export const rowsPointer = (pointer: string): string => pointer.replace(/\/\*(\/.*)?$/s, '')

/** The pointer into one row. */
export const atRow = (pointer: string, row: number): string => pointer.replace(/\/\*(?=\/|$)/, `/${row}`)
