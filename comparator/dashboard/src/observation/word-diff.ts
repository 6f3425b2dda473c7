/** A run of words: common to both sides, or of one alone. */
export interface WordRun {
  kind: 'same' | 'primary' | 'candidate'
  text: string
}

/** Beyond this many differing words the search stops, and the rest of both texts counts as different. */
const distanceMax = 1000

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Compares two texts word by word, by the shortest edit script (Myers 1986). Words follow Unicode's rules, so languages
 * without spaces work too. White space between two changes counts as changed, because it would only fragment them.
 */
export function wordDiff(primary: string, candidate: string): WordRun[] {
  const a = wordsOf(primary)
  const b = wordsOf(candidate)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = shortestEdit(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const runs: WordRun[] = [
    { kind: 'same', text: a.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: a.slice(a.length - end).join('') },
  ]
  return joinRuns(withoutSlivers(joinRuns(runs)))
}

const wordsOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment)

function shortestEdit(a: string[], b: string[]): WordRun[] {
  const whole: WordRun[] = [
    { kind: 'primary', text: a.join('') },
    { kind: 'candidate', text: b.join('') },
  ]
  if (a.length === 0 || b.length === 0) return whole
  // reached[k]: how far into a the furthest path on diagonal k = x − y extends
  const offset = Math.min(distanceMax, a.length + b.length) + 1
  const reached = new Int32Array(2 * offset + 1)
  const trace: Int32Array[] = []
  for (let d = 0; d < offset; d++) {
    trace.push(reached.slice(offset - d, offset + d + 1))
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reached[offset + k - 1]! < reached[offset + k + 1]!)
      let x = down ? reached[offset + k + 1]! : reached[offset + k - 1]! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reached[offset + k] = x
      if (x >= a.length && x - k >= b.length) return backtrack(trace, a, b)
    }
  }
  return whole
}

/** `trace[d]` holds what was reached before step d, on diagonals −d…d. */
function backtrack(trace: Int32Array[], a: string[], b: string[]): WordRun[] {
  const runs: WordRun[] = []
  let x = a.length
  let y = b.length
  for (let d = trace.length - 1; d > 0; d--) {
    const at = (k: number) => trace[d]![k + d]!
    const k = x - y
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1))
    const fromK = down ? k + 1 : k - 1
    const fromX = at(fromK)
    const fromY = fromX - fromK
    while (x > fromX && y > fromY) {
      runs.push({ kind: 'same', text: a[--x]! })
      y--
    }
    if (down) runs.push({ kind: 'candidate', text: b[--y]! })
    else runs.push({ kind: 'primary', text: a[--x]! })
  }
  while (x > 0) runs.push({ kind: 'same', text: a[--x]! })
  return runs.reverse()
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
