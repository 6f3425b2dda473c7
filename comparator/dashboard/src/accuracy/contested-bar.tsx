import { Downloads } from '../charts/frame/downloads.tsx'
import { formatColumnShare, formatCount, formatCounted, formatShare, formatTiny } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'
import type { Contested } from './contested.ts'

/** Exchanges in which only one side was right: which side, and whether chance explains it. */
export function ContestedBar({ contested }: { contested: Contested }) {
  const { both, onlyPrimary, onlyCandidate, neither, labelled } = contested
  const disputed = onlyPrimary + onlyCandidate
  const title = 'Who wins the disagreements'
  const parts = [
    { key: 'both', words: 'both right', count: both },
    { key: 'primary', words: 'only the primary', count: onlyPrimary },
    { key: 'candidate', words: 'only the candidate', count: onlyCandidate },
    { key: 'neither', words: 'neither right', count: neither },
  ]
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        <span class="muted">{formatCount(labelled)} labelled exchanges</span>
      </figcaption>
      {disputed > 0 && (
        <div class="duel" aria-hidden="true">
          {onlyPrimary > 0 && (
            <span class="duel-side duel-primary" style={{ flexGrow: onlyPrimary }}>
              {formatCount(onlyPrimary)}
            </span>
          )}
          {onlyCandidate > 0 && (
            <span class="duel-side duel-candidate" style={{ flexGrow: onlyCandidate }}>
              {formatCount(onlyCandidate)}
            </span>
          )}
          <span class="duel-middle" />
        </div>
      )}
      <p class="duel-words">{duelWords(contested)}</p>
      <table class="compact contested">
        <caption class="visually-hidden">Labelled exchanges by which side was right</caption>
        <tbody>
          {parts.map(({ key, words, count }) => (
            <tr key={key}>
              <th scope="row">
                {key === 'primary' || key === 'candidate' ? <span class={`leg leg-${key}`}>{words}</span> : words}
              </th>
              <td class="numeric">{formatCount(count)}</td>
              <td class="numeric">{formatColumnShare(count / labelled)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="figure-foot">
        <Downloads
          title={title}
          table={() => ({
            columns: ['Right', 'Exchanges', 'Share'],
            rows: parts.map(({ words, count }) => [
              words,
              { text: formatCount(count), value: count },
              { text: formatShare(count / labelled), value: count / labelled },
            ]),
          })}
        />
      </div>
    </figure>
  )
}

function duelWords({ onlyPrimary, onlyCandidate, won, p }: Contested): string {
  const disputed = onlyPrimary + onlyCandidate
  if (disputed === 0) return 'In no labelled exchange was only one side right.'
  const span = spanText(won, 'share', undefined)
  const bound = span === null ? '' : `, bound ${span}`
  const chance = p === null ? '' : ` By chance alone a split this uneven has p ${pWords(p)} (McNemar’s exact test).`
  return `Only one side was right in ${formatCounted(disputed, 'labelled exchange')}: the candidate in ${formatCount(onlyCandidate)} (${formatShare(onlyCandidate / disputed)}${bound}).${chance}`
}

function pWords(p: number): string {
  const text = formatTiny(p)
  return text.startsWith('<') ? text : `= ${text}`
}
