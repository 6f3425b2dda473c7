import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { candidateServerSchema } from '../../candidate-server/config.ts'
import { startCandidateServer } from '../../candidate-server/server.ts'
import { mirrorSchema } from '../../mirror/config.ts'
import { startMirror } from '../../mirror/server.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { formatProblem } from '../../runtime/config/problem.ts'
import { createLogger } from '../../runtime/logger.ts'
import { tokens } from './comparator.ts'

export const modelFile = (name: string) => join(import.meta.dirname, '../../deploy/demo/models', name)

/** A directory that is deleted after the test. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'understudy-test-'))
  return {
    path,
    /** Writes a file with this text and returns its path. */
    fileWith(name: string, text: string): string {
      const file = join(path, name)
      writeFileSync(file, text)
      return file
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

export function decode<Schema extends Parameters<typeof decodeSection>[2]>(
  raw: unknown,
  section: string,
  schema: Schema,
) {
  const { value, problems } = decodeSection(raw, section, schema, {})
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join('\n'))
  return value
}

export async function startTestCandidateServer(models: unknown[]) {
  const raw = { listen: '127.0.0.1:0', cpu: { instances: 1, threads: 1 }, models }
  const config = decode(raw, 'candidateServer', candidateServerSchema) as Parameters<
    typeof startCandidateServer
  >[0]['config']
  return startCandidateServer({ config, logger: createLogger('test', 'error') })
}

export async function startTestMirror(options: {
  primary: string
  comparator: string
  spool: string
  routes: unknown[]
  clock?: Clock
}) {
  const raw = {
    listen: '127.0.0.1:0',
    admin: '127.0.0.1:0',
    primary: options.primary,
    comparator: { url: options.comparator, token: tokens.ingest },
    routes: options.routes,
    spool: { dir: options.spool },
  }
  const config = decode(raw, 'mirror', mirrorSchema) as Parameters<typeof startMirror>[0]['config']
  const { clock = systemClock } = options
  return startMirror({ config, clock, logger: createLogger('test', 'error') })
}
