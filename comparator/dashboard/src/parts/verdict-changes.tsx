import { useEffect, useRef, useState } from 'preact/hooks'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { verdictWords } from '../format/words.ts'

/** Announces which verdicts changed since the last answer, and nothing else: ticking figures are not announced. */
export function VerdictChanges({ verdicts }: { verdicts: { name: string; verdict: Verdict }[] }) {
  const known = useRef(new Map<string, Verdict>())
  const [said, setSaid] = useState('')
  useEffect(() => {
    const changed = verdicts.filter(({ name, verdict }) => (known.current.get(name) ?? verdict) !== verdict)
    known.current = new Map(verdicts.map(({ name, verdict }) => [name, verdict]))
    if (changed.length > 0) {
      setSaid(changed.map(({ name, verdict }) => `${name}: ${verdictWords[verdict]}`).join(', '))
    }
  }, [verdicts])
  return (
    <p class="visually-hidden" role="status">
      {said}
    </p>
  )
}
