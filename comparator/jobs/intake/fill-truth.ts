import type { Truth } from '../../metrics/contributions/label-contribution.ts'

/**
 * What is known of a request once `given` is added to what stands: rows still open are filled. The standing truth itself
 * where nothing is new. A text says how the two contradict each other.
 */
export function fillTruth(standing: Truth, given: Truth): Truth | string {
  const noun = given.label === undefined ? 'value' : 'label'
  const [known, added] = [standing[noun], given[noun]]
  if (!Array.isArray(known) || !Array.isArray(added)) {
    return known === added ? standing : `already has ${spellTruth(standing)}`
  }
  if (known.length !== added.length) return `already has ${spellTruth(standing)}: expected as many rows`
  const isOther = (row: number) => known[row] !== null && added[row] !== null && known[row] !== added[row]
  const other = [...known.keys()].find(isOther)
  if (other !== undefined) return `already has the ${noun} ${JSON.stringify(known[other])} in row ${other}`
  if (added.every((of, row) => of === null || known[row] !== null)) return standing
  return { [noun]: known.map((of, row) => of ?? added[row]) }
}

/** In words. */
export function spellTruth(truth: Truth): string {
  const [noun, of] = truth.label === undefined ? ['value', truth.value] : ['label', truth.label]
  return Array.isArray(of) ? `${noun}s for ${spellRows(of.length)}` : `the ${noun} ${JSON.stringify(of)}`
}

export const spellRows = (rows: number): string => (rows === 1 ? 'one row' : `${rows} rows`)
