import type { View } from './view.ts'

/** One change that a mirror makes to the bytes, and what entitles it to. `from` is replaced wherever it occurs. */
export interface Difference {
  in: 'request' | 'response'
  from: string
  to: string
  why: string
}

/** The connection ends differently from the primary's own. */
export interface OtherEnd {
  in: 'end'
  from: View['end']
  to: View['end']
  why: string
}

export const request = (from: string, to: string, why: string): Difference => ({ in: 'request', from, to, why })
export const response = (from: string, to: string, why: string): Difference => ({ in: 'response', from, to, why })
export const ends = (from: View['end'], to: View['end'], why: string): OtherEnd => ({ in: 'end', from, to, why })

/** Throws if a difference applies to nothing, so that none is stated in vain. */
export function apply(view: View, differences: readonly (Difference | OtherEnd)[]): View {
  const changed = { ...view }
  for (const difference of differences) {
    const { from, to } = difference
    if (difference.in === 'end') {
      if (changed.end !== from) throw new Error(`the connection was ${changed.end}, not ${from}`)
      changed.end = difference.to
    } else if (difference.in === 'request') {
      if (!changed.requests.some((bytes) => bytes.includes(from))) throw new Error(`no request has ${from}`)
      changed.requests = changed.requests.map((bytes) => bytes.replaceAll(from, () => to))
    } else {
      if (!changed.client.includes(from)) throw new Error(`no response has ${from}`)
      changed.client = changed.client.replaceAll(from, () => to)
    }
  }
  return changed
}
