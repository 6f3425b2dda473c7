import { createHash } from 'node:crypto'

export const tokens = {
  ingest: 'i-token',
  viewer: 'v-token',
  approver: 'ana-token',
  second: 'ben-token',
  admin: 'adm-token',
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const tokenConfig = [
  { name: 'mirror', role: 'ingest', sha256: sha256(tokens.ingest) },
  { name: 'vic', role: 'viewer', sha256: sha256(tokens.viewer) },
  { name: 'ana', role: 'approver', sha256: sha256(tokens.approver) },
  { name: 'ben', role: 'approver', sha256: sha256(tokens.second) },
  { name: 'root', role: 'admin', sha256: sha256(tokens.admin) },
]
