import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { candidateServerSchema } from '../../candidate-server/config.ts'
import { comparatorSchema } from '../../comparator/config.ts'
import { mirrorSchema } from '../../mirror/config.ts'
import { stopLimitMs } from '../../mirror/server.ts'
import { loadSection } from '../../runtime/config/load-config.ts'

export const root = join(import.meta.dirname, '../..')
export const read = (path: string) => readFileSync(join(root, path), 'utf8')
export const yaml = (path: string) => parse(read(path), { merge: true })
export const services = ['mirror', 'candidate-server', 'comparator'] as const
export type Service = (typeof services)[number]

/** Values that deploy/new-secrets.sh and the user provide. */
const values: Record<string, string> = {
  UNDERSTUDY_INGEST_TOKEN: 'token',
  UNDERSTUDY_INGEST_SHA256: 'a'.repeat(64),
  UNDERSTUDY_APPROVER_SHA256: 'b'.repeat(64),
  DATABASE_URL: 'postgres://understudy:password@postgres:5432/understudy',
}

/** Reads a config as each service does, with the variables it is given; throws if `config check` would fail. */
export function readConfig(file: string, variables: Record<Service, readonly string[]>) {
  const env = (service: Service) => Object.fromEntries(variables[service].map((name) => [name, values[name]]))
  const path = join(root, file)
  const mirror = loadSection(path, 'mirror', mirrorSchema, env('mirror'))
  const candidateServer = loadSection(path, 'candidateServer', candidateServerSchema, env('candidate-server'))
  const comparator = loadSection(path, 'comparator', comparatorSchema, env('comparator'))
  const stopMs: Record<Service, number> = {
    mirror: stopLimitMs(mirror),
    'candidate-server': candidateServer.limits.drainTimeout + 10_000,
    comparator: 30_000,
  }
  /** Ports of `/healthz`, `/readyz` and `/metrics`. */
  const probed: Record<Service, number> = {
    mirror: mirror.admin.port,
    'candidate-server': candidateServer.listen.port,
    comparator: comparator.listen.port,
  }
  return { mirror, candidateServer, comparator, stopMs, probed }
}

/** The variables that deploy/new-secrets.sh writes. */
export const madeSecrets = read('deploy/new-secrets.sh')
  .match(/^\w+(?==\$)/gm)!
  .filter((name) => /^[A-Z]/.test(name))
