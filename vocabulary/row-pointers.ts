import { stepsOf } from './pointer-steps.ts'

/** How often a pointer has `*`, which stands for the index of each row of a response that answers several. */
export const rowSteps = (pointer: string): number => stepsOf(pointer).filter((step) => step === '*').length

/** Whether responses answer several rows at once, by the mapping of a classification. */
export function hasRows(mapping: { scores?: unknown; label?: unknown; primary?: unknown }): boolean {
  const { scores, label } = { ...mapping, ...(mapping.primary as object | undefined) }
  const pointer = scores ?? label
  return typeof pointer === 'string' && rowSteps(pointer) > 0
}

/** Where the list stands whose items are the rows. */
export const rowsPointer = (pointer: string): string => pointer.replace(/\/\*(\/.*)?$/s, '')

/** The pointer into one row. */
export const atRow = (pointer: string, row: number): string => pointer.replace(/\/\*(?=\/|$)/, `/${row}`)
