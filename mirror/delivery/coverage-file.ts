import { constants, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { CoverageReport } from '../../vocabulary/coverage.ts'
import type { Coverage, Tally } from '../ledger/coverage.ts'
import { replaceFile } from './keep-file.ts'

/** Put into words in one turn of the loop, a fifth of a millisecond. */
const reportsPerLine = 200
const appendedMin = 10_000
/** Without making it: where someone has taken it away, all that was in it has to be written again. */
const append = constants.O_WRONLY | constants.O_APPEND

const isReports = Compile(Type.Array(CoverageReport))

/**
 * Coverage reports that are still to be sent, on disk: a list of them in each line, of which a later report replaces the
 * one before it. What changed is appended, so that each time costs the same however long the comparator is away; once most
 * of the file is replaced by what comes behind it, or something went wrong, it is written anew.
 */
export class CoverageFile {
  readonly #file: string
  #isThere = false
  /** Reports, since it was written whole; undefined where it has to be. */
  #appended: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  get isThere(): boolean {
    return this.#isThere
  }

  /** Gives back what an ended process has kept. Throws where some or all of it can't be read, once the rest is given. */
  restoreTo(coverage: Coverage): void {
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
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

  /** Makes it hold all that is unsent now. Rejects with the system's error. */
  async keep(coverage: Coverage): Promise<void> {
    const unsent = coverage.unsent()
    const appended = this.#appended
    // unless this goes well
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
