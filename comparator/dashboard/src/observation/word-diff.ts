import { diffArrays } from 'diff'

/** A run of words: common to both sides, or of one alone. */
export interface WordRun {
  kind: 'same' | 'primary' | 'candidate'
  text: string
}

/** Beyond this many differing words the search stops, and the rest of both texts counts as different. */
const distanceMax = 1000

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Compares two texts word by word, by the shortest edit script. Words follow Unicode's rules, so languages
 * without spaces work too. White space between two changes counts as changed, because it would only fragment them.
 */
export function wordDiff(primary: string, candidate: string): WordRun[] {
  const a = wordsOf(primary)
  const b = wordsOf(candidate)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = editOf(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const runs: WordRun[] = [
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ]
  return joinRuns(withoutSlivers(joinRuns(runs)))
}

const wordsOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)

function editOf(a: string[], b: string[]): WordRun[] {
  const changes = diffArrays(a, b, { maxEditLength: distanceMax }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  return changes.map(({ value, removed, added }) => ({
    kind: removed ? 'primary' : added ? 'candidate' : 'same',
    text: value.join(''),
  }))
}

function withoutSlivers(runs: WordRun[]): WordRun[] {
  return runs.flatMap((run, i): WordRun[] => {
    const between = i > 0 && i < runs.length - 1 && run.kind === 'same' && /^\s+$/.test(run.text)
    if (!between) return [run]
    return [
      { kind: 'primary', text: run.text },
      { kind: 'candidate', text: run.text },
    ]
  })
}

/**
 * Merges neighbouring runs of the same kind; between two common runs, the primary's words come before the candidate's.
 */
function joinRuns(runs: WordRun[]): WordRun[] {
  const joined: WordRun[] = []
  let primary = ''
  let candidate = ''
  const flush = () => {
    if (primary !== '') joined.push({ kind: 'primary', text: primary })
    if (candidate !== '') joined.push({ kind: 'candidate', text: candidate })
    primary = ''
    candidate = ''
  }
  for (const { kind, text } of runs) {
    if (kind === 'primary') primary += text
    else if (kind === 'candidate') candidate += text
    else if (text !== '') {
      flush()
      const last = joined.at(-1)
      if (last?.kind === 'same') last.text += text
      else joined.push({ kind, text })
    }
  }
  flush()
  return joined
}
