import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const styles = join(import.meta.dirname, '../../dashboard/src/styles')

/** The dashboard's tokens and figures, and the dossier's own rules. All constant: nothing of a dossier's content. */
export const dossierStyle = ['tokens.css', 'figures.css', 'dossier.css']
  .map((name) => readFileSync(join(styles, name), 'utf8'))
  .join('\n')

/** The page may load nothing and run nothing; only this one stylesheet applies. */
export const dossierPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(dossierStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
