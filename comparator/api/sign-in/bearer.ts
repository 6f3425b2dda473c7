import type { Role } from '../../../vocabulary/role.ts'

/** Who sends a request, and what they may do. */
export interface Bearer {
  name: string
  role: Role
}
