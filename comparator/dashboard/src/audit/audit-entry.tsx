import type { AuditEntry } from '../../../../vocabulary/api/audit.ts'
import { Moment } from '../parts/moment.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { auditHref, validationHref } from '../routing/hash-route.ts'
import { sentenceOf } from './sentence-of.ts'

/** One audit entry: who did what and why, and its hash. */
export function AuditEntryLine({ entry }: { entry: AuditEntry }) {
  const { verb, weight, comment } = sentenceOf(entry)
  const { id, at, actor, role, validation, details, hash } = entry
  const promotion = typeof details.promotion === 'string' ? details.promotion : null
  return (
    <li class={`entry entry-${weight}`} id={`entry-${id}`} tabIndex={-1} data-testid={`audit-${id}`}>
      <span class="entry-mark" aria-hidden="true" />
      <span class="entry-time">
        <Moment at={at} clock />
      </span>
      <div class="entry-text">
        <p>
          <a class="entry-actor" href={auditHref({ actor })}>
            {role === 'system' ? 'Understudy' : actor}
          </a>{' '}
          {verb}{' '}
          {validation !== null && (
            <a href={validationHref(validation, { at: promotion && `promotion-${promotion}` })}>{validation}</a>
          )}
        </p>
        {comment && (
          <blockquote class="entry-comment">
            <VisibleText text={comment} />
          </blockquote>
        )}
        <p class="entry-small muted">
          {role !== 'system' && <>as {role} · </>}
          {promotion && (
            <>
              <a href={`/v1/promotions/${promotion}/dossier?format=html`} target="_blank" rel="noreferrer">
                dossier<span class="visually-hidden">, opens in a new tab</span>
              </a>
              {' · '}
              <a href={`/v1/promotions/${promotion}/dossier?format=json`} download={`dossier-${promotion}.json`}>
                JSON<span class="visually-hidden"> of the dossier</span>
              </a>
              {' · '}
            </>
          )}
          entry {id} · <code title={hash}>{hash.slice(0, 12)}</code>
        </p>
      </div>
    </li>
  )
}
