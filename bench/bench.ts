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
  /** Of a bench that has parts, those whose names contain this text, or one of several with commas between. */
  only: string | undefined
  progress(line: string): void
}

export interface BenchResult {
  /** A section of the page, from its `##` on. */
  markdown: string
  /** Promises that the run broke, one sentence each. */
  broken: string[]
}

/** What `only` asks for, or all. Throws where nothing is called so. */
export function partsNamed<Part extends { name: string }>(parts: readonly Part[], only = ''): Part[] {
  const chosen = parts.filter(({ name }) => only.split(',').some((text) => name.includes(text)))
  if (chosen.length > 0) return chosen
  throw new Error(`nothing is called ${only}; there are ${parts.map(({ name }) => name).join(', ')}`)
}
