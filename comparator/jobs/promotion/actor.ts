import type { Role } from '../../../vocabulary/role.ts'

/** Who does something, as the audit names them. */
export interface Actor {
  name: string
  role: Role | 'system'
}

/** Our own jobs. */
export const system: Actor = { name: 'understudy', role: 'system' }
