import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const styles = join(import.meta.dirname, '../dashboard/src/styles')

/** The dashboard's own tokens and figures, and what is the dossier's: fixed text of ours, nothing of a dossier. */
export const dossierStyle = ['tokens.css', 'figures.css', 'dossier.css']
  .map((name) => readFileSync(join(styles, name), 'utf8'))
  .join('\n')

/** The page may show and do nothing but itself, in this one style. */
export const dossierPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(dossierStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
