import { stepsOf } from './pointer-steps.ts'

/** The pointers of a classification; one `*` in each stands for the index of each row that a response answers. */
export interface RowPointers {
  scores?: string | undefined
  label?: string | undefined
}

export const rowSteps = (pointer: string): number => stepsOf(pointer).filter((step) => step === '*').length

/** Whether responses answer several rows at once, by the mapping of a classification. */
export function hasRows(mapping: { scores?: unknown; label?: unknown; primary?: unknown }): boolean {
  const { scores, label } = { ...mapping, ...(mapping.primary as RowPointers | undefined) }
  const pointer = scores ?? label
  return typeof pointer === 'string' && rowSteps(pointer) > 0
}

/** Where the list stands whose items are the rows. */
export const rowsPointer = (pointer: string): string => pointer.replace(/\/\*(\/.*)?$/, '')

/** The pointers of one row. */
export function atRow<Side extends RowPointers>(side: Side, row: number): Side {
  const at = (pointer: string | undefined) => pointer?.replace(/\/\*(?=\/|$)/, `/${row}`)
  return { ...side, scores: at(side.scores), label: at(side.label) }
}
