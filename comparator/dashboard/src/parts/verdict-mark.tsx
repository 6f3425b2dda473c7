import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { verdictWords } from '../format/words.ts'

/** Icon, word and colour together. The icons' outlines differ too: disc, octagon, dashed ring. */
export function VerdictMark({ verdict, large }: { verdict: Verdict; large?: boolean }) {
  return (
    <span class={`verdict verdict-${verdict}${large ? ' verdict-large' : ''}`} data-verdict={verdict}>
      <VerdictIcon verdict={verdict} />
      {verdictWords[verdict]}
    </span>
  )
}

/** For things with too little evidence to say anything: three dots, no colour. */
export function WaitingMark({ word = 'Waiting', large }: { word?: string; large?: boolean }) {
  return (
    <span class={`verdict verdict-waiting${large ? ' verdict-large' : ''}`}>
      <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
        <path class="dots" d="M2.5 8h.01M8 8h.01M13.5 8h.01" />
      </svg>
      {word}
    </span>
  )
}

function VerdictIcon({ verdict }: { verdict: Verdict }) {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      {verdict === 'pass' && (
        <>
          <circle class="solid" cx="8" cy="8" r="7.5" />
          <path class="cut" d="M4.5 8.3 7 10.8 11.6 5.6" />
        </>
      )}
      {verdict === 'fail' && (
        <>
          <path class="solid" d="M5 .6h6L15.4 5v6L11 15.4H5L.6 11V5z" />
          <path class="cut" d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2" />
        </>
      )}
      {verdict === 'inconclusive' && (
        <>
          <circle class="ring" cx="8" cy="8" r="6.6" />
          <path class="hand" d="M8 4.6V8l2.3 1.6" />
        </>
      )}
    </svg>
  )
}
