import type { Children } from './processes/children.ts'

/** One question. */
export interface Bench {
  name: string
  run(around: BenchSurroundings): Promise<BenchResult>
}

export interface BenchSurroundings {
  children: Children
  /** Removed at the end. */
  directory: string
  /** Short rounds, to see that it works; the numbers mean little. */
  quick: boolean
  /** How long a bench whose length is to be chosen runs. */
  minutes: number | undefined
  /** Of a bench that has parts, those whose names contain this text. */
  only: string | undefined
  progress(line: string): void
}

export interface BenchResult {
  /** A section of the page, from its `##` on. */
  markdown: string
  /** Promises that the run broke, one sentence each. */
  broken: string[]
}
