import { formDifferences } from '../../compare/form-differences.ts'
import { decodeBody } from '../../compare/read/decode-body.ts'
import { parseJson } from '../../compare/read/parse-json.ts'
import { spellDifferences } from '../../compare/side-differences.ts'
import type { Db } from '../../store/database/open-database.ts'
import { mostAlikeAnswers } from '../../store/observations/bodies.ts'
import { viewBody } from './view-observation.ts'

/** A few show whether a difference is one of form. */
const pairsMax = 3
/** In one answer a field may be lacking by chance, such as that of a class that is named in its key. */
const pairsMin = 2
/** Parsed each time that someone looks. */
const charsMax = 64 * 1024
/** Of a body as it is stored, which has several bytes for some characters. */
const bytesMax = 2 * charsMax

/**
 * How the candidate's answers differ in form from the primary's, from the bodies that were kept. One mapping may read
 * answers of different forms, such as scores by position and a list with labels. `null` if nothing is known, as from a
 * single pair.
 */
export async function differenceInAnswers(db: Db, windowId: number): Promise<string | null> {
  const rows = await mostAlikeAnswers(db, windowId, { pairsMax, bytesMax })
  const pairs = rows.flatMap(({ primary_body, candidate_body }) => {
    const primary = documentIn(primary_body)
    const candidate = documentIn(candidate_body)
    return primary && candidate ? [{ primary: primary.document, candidate: candidate.document }] : []
  })
  if (pairs.length < pairsMin) return null
  return spellDifferences(formDifferences(pairs))
}

function documentIn(stored: unknown) {
  const { body } = viewBody(stored)
  const text = body && decodeBody({ ...body, headers: {} })
  if (!text || text.length > charsMax) return undefined
  const parsed = parseJson(text)
  return parsed.kind === 'document' ? parsed : undefined
}
