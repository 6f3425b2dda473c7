import type { AuditEntry } from '../../../../vocabulary/api/audit.ts'
import { formatPercent } from '../format/number.ts'
import { spaced } from '../format/words.ts'

/** What was done, as a sentence without its subject; the page adds the person before it and the validation after it. */
interface AuditSentence {
  verb: string
  /**
   * How it is emphasised: what moved live traffic stands out, and so does what ended a promotion or went against the
   * gate.
   */
  weight: 'said' | 'moved' | 'back' | 'against'
  /** The person's comment or, for entries by the system itself, the reason. */
  comment: string | null
}

/** The verb comes before the validation's name: "ana" "asked to promote" "digits-int8". */
export function sentenceOf({ action, details, role }: Pick<AuditEntry, 'action' | 'details' | 'role'>): AuditSentence {
  const comment = typeof details.comment === 'string' && details.comment !== '' ? details.comment : null
  const percent = typeof details.livePercent === 'number' ? formatPercent(details.livePercent) : 'a share'
  const said = (verb: string, weight: AuditSentence['weight'] = 'said') => ({ verb, weight, comment })
  switch (action) {
    case 'promotion.request':
      return said('asked to promote')
    case 'promotion.override':
      return said(`overrode the gate’s verdict (${String(details.verdict ?? 'none')}) and asked to promote`, 'against')
    case 'promotion.approve':
      return details.override === true
        ? said(
            `overrode the gate’s verdict (${String(details.verdict ?? 'none')}) and approved the promotion of`,
            'against',
          )
        : said('approved the promotion of')
    case 'promotion.reject':
      return said('rejected the promotion of', 'back')
    case 'promotion.abort':
      return said('aborted the promotion of', 'back')
    case 'promotion.rollback':
      return said(role === 'system' ? 'automatically rolled back' : 'rolled back', 'back')
    case 'promotion.complete':
      return said(`completed, at ${percent} of live traffic, the promotion of`, 'moved')
    case 'rollout.step':
      return said(`moved ${percent} of live traffic to the candidate of`, 'moved')
    default:
      return said(`${spaced(action).replace('.', ': ')}, on`)
  }
}
