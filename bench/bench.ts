import type { Children } from './processes/children.ts'

/** One question and how to answer it. */
export interface Bench {
  name: string
  run(around: BenchSurroundings): Promise<BenchResult>
}

export interface BenchSurroundings {
  children: Children
  /** Removed at the end. */
  directory: string
  /** Short rounds that only check that the bench works; the numbers mean little. */
  quick: boolean
  /** Duration, for a bench whose length can be chosen. */
  minutes: number | undefined
  /** For a bench with parts: runs only those whose names contain this text, or one of several separated by commas. */
  only: string | undefined
  progress(line: string): void
}

export interface BenchResult {
  /** A section of the page, starting with its `##` heading. */
  markdown: string
  /** Promises that the run found broken, one sentence each. */
  broken: string[]
}

/** The parts that `only` selects; all by default. Throws if no part matches. */
export function partsNamed<Part extends { name: string }>(parts: readonly Part[], only = ''): Part[] {
  const chosen = parts.filter(({ name }) => only.split(',').some((text) => name.includes(text)))
  if (chosen.length > 0) return chosen
  throw new Error(`nothing is called ${only}; there are ${parts.map(({ name }) => name).join(', ')}`)
}
