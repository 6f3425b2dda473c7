import { createHash } from 'node:crypto'

/** The people in the story, each with a token for their role. */
export const tokens = {
  mirror: 'showcase-mirror',
  vic: 'showcase-vic',
  ana: 'showcase-ana',
  ben: 'showcase-ben',
  ruth: 'showcase-ruth',
}
export type Person = Exclude<keyof typeof tokens, 'mirror'>

const roles = { mirror: 'ingest', vic: 'viewer', ana: 'approver', ben: 'approver', ruth: 'admin' } as const

export const tokenConfig = Object.entries(tokens).map(([name, token]) => ({
  name,
  role: roles[name as keyof typeof roles],
  sha256: createHash('sha256').update(token).digest('hex'),
}))
