import { type Cell, type Confusion, confusionFrom } from '../../statistics/kappa.ts'
import type { Sums } from '../../statistics/sums.ts'
import { confusionCellOf, isFreeConfusion } from '../measures.ts'
import { anotherName, foldCell, keptNames, otherName } from '../name-sample.ts'

/** A confusion matrix for readers. Its columns count all other labels as one; only its cells tell two of them apart. */
interface ConfusionIn extends Confusion {
  /** The hash above which undeclared labels become others; `null` if all labels are declared. */
  givenUpAbove: number | null
}

const confusionBySums = new WeakMap<Sums, ConfusionIn>()

/** The confusion matrix in these sums. It is cached by `sums`, which must not change afterwards. */
export function confusionIn(sums: Sums): ConfusionIn {
  return confusionBySums.getOrInsertComputed(sums, () => {
    const { cells, givenUpAbove } = countedCells(sums)
    const confusion = { ...confusionFrom(cells), givenUpAbove }
    if (givenUpAbove !== null) addAnotherToOthers(confusion.columns)
    return confusion
  })
}

function addAnotherToOthers(columns: Map<string, number>): void {
  const count = columns.get(anotherName)
  if (count === undefined) return
  columns.set(otherName, (columns.get(otherName) ?? 0) + count)
  columns.delete(anotherName)
}

/** Counts of other labels: in the rows, in the columns, and where both sides have the same other label. */
export function othersIn({ rows, columns, cells, givenUpAbove }: ConfusionIn) {
  if (givenUpAbove === null) return { primary: 0, candidate: 0, agreed: 0 }
  const agreed = cells.find(([row, column]) => row === otherName && column === otherName)
  return { primary: rows.get(otherName) ?? 0, candidate: columns.get(otherName) ?? 0, agreed: agreed?.[2] ?? 0 }
}

function countedCells(sums: Sums): { cells: Cell[]; givenUpAbove: number | null } {
  const cells: Cell[] = []
  const free: Cell[] = []
  let givenUpAbove = Number.POSITIVE_INFINITY
  for (const [measure, { n, min }] of sums) {
    const labels = confusionCellOf(measure)
    if (labels === null) continue
    if (!isFreeConfusion(measure)) {
      cells.push([...labels, n])
      continue
    }
    free.push([...labels, n])
    if (labels.includes(otherName)) givenUpAbove = Math.min(givenUpAbove, min)
  }
  if (free.length === 0) return { cells, givenUpAbove: null }
  return { cells: [...cells, ...foldLabels(free, givenUpAbove)], givenUpAbove }
}

/** The cells of undeclared labels, with all labels that are not kept merged into others. */
function foldLabels(cells: Cell[], givenUpAbove: number): Cell[] {
  const { rows, columns } = confusionFrom(cells)
  const kept = keptNames([...rows.keys(), ...columns.keys()], givenUpAbove)
  const folded = new Map<string, Cell>()
  for (const [row, column, count] of cells) {
    const [p, c] = foldCell(row, column, (label) => kept.has(label))
    const key = JSON.stringify([p, c])
    const known = folded.get(key)
    if (known === undefined) folded.set(key, [p, c, count])
    else known[2] += count
  }
  return [...folded.values()]
}
