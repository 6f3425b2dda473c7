import { constants } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { CoverageReport } from '../../vocabulary/coverage.ts'
import type { Coverage, Tally } from '../ledger/coverage.ts'
import { replaceFile } from '../replace-file.ts'

/** Serialised in one turn of the event loop, in a fifth of a millisecond. */
const reportsPerLine = 200
const appendedMin = 10_000
/** Appends without creating the file: if someone has deleted it, all of its content must be written again. */
const append = constants.O_WRONLY | constants.O_APPEND

/** The file in a spool's directory. */
export const coverageFileIn = (dir: string): string => join(dir, 'coverage.json')

/**
 * Adds what an ended process had counted to its file, for the next process to send; the spool must be there. Rejects
 * with the system's error.
 */
export const leaveReports = (dir: string, reports: readonly CoverageReport[]): Promise<void> =>
  // the process may have ended within a line
  appendFile(coverageFileIn(dir), `\n${JSON.stringify(reports)}\n`, { flush: true, mode: 0o600 })

const isReports = Compile(Type.Array(CoverageReport))

/**
 * Unsent coverage reports on disk: each line is a list of reports, and a later report replaces an earlier one of the
 * same key. Changes are appended, so that a write costs the same however long the comparator is away. The file is
 * rewritten once most of it is superseded, or after an error.
 */
export class CoverageFile {
  readonly #file: string
  #isThere = false
  /** Reports appended since the file was last rewritten; undefined if it must be rewritten. */
  #appended: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  get isThere(): boolean {
    return this.#isThere
  }

  /** Restores what an earlier process kept. If some of it can't be read, restores the rest and then rejects. */
  async restoreTo(coverage: Coverage): Promise<void> {
    let text: string
    try {
      text = await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#isThere = true
    let problem: unknown
    for (const line of text.split('\n')) {
      if (line === '') continue
      try {
        coverage.restore(reportsIn(line), true)
      } catch (error) {
        problem = error
      }
    }
    if (problem !== undefined) throw problem
  }

  /** Makes the file hold all reports unsent now. Rejects with the system's error. */
  async keep(coverage: Coverage): Promise<void> {
    const unsent = coverage.unsent()
    const appended = this.#appended
    // stays so unless the write succeeds
    this.#appended = undefined
    if (unsent.length === 0) {
      await rm(this.#file, { force: true })
      this.#isThere = false
    } else if (appended === undefined || appended > Math.max(unsent.length, appendedMin)) {
      await replaceFile(this.#file, linesOf(unsent))
      this.#isThere = true
      this.#appended = 0
    } else {
      const changed = unsent.filter(({ isKept }) => !isKept)
      await writeFile(this.#file, linesOf(changed), { flag: append, flush: true })
      this.#appended = appended + changed.length
    }
  }
}

function reportsIn(line: string): CoverageReport[] {
  const reports: unknown = JSON.parse(line)
  if (!isReports.Check(reports)) throw new Error('not coverage reports')
  return reports
}

function* linesOf(tallies: readonly Tally[]): Generator<string> {
  for (let from = 0; from < tallies.length; from += reportsPerLine) {
    const some = tallies.slice(from, from + reportsPerLine)
    for (const tally of some) tally.isKept = true
    yield `${JSON.stringify(some.map(({ report }) => report))}\n`
  }
}
