import type { KeepingView, Withheld } from '../../../../vocabulary/api/observation-detail.ts'

/** Why a body was not stored; `undefined` if no reason was given, as by older versions. */
export function withheldWords(withheld: Withheld | undefined, { bodyBytesMax }: KeepingView): string {
  const tooLarge = `it is over ${bodyBytesMax / 1024} KiB`
  const notRedactable = 'it could not be searched for values to redact'
  return withheld === undefined ? `${tooLarge}, or ${notRedactable}` : { tooLarge, notRedactable }[withheld]
}
