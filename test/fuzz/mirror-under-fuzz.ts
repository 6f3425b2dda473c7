import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MirrorConfig } from '../../mirror/config.ts'
import { mirrorSchema } from '../../mirror/config.ts'
import type { Account } from '../../mirror/ledger/ledger.ts'
import { startMirror } from '../../mirror/server.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { createLogger } from '../../runtime/logger.ts'

export interface MirrorUnderFuzz {
  port: number
  ledger(): Promise<Record<string, Account>>
  /** The value of a metric without labels. */
  gauge(name: string): Promise<number>
  metrics(): Promise<string>
  heldBytes(): number
  /** Failures that the mirror logged as its own. */
  errors: string[]
  /** Reloads the same config. */
  reload(): Promise<void>
  stop(): Promise<void>
}

/** A mirror in this process with its own spool, whose routing is known from the first request on. */
export async function mirrorUnderFuzz(
  section: Record<string, unknown>,
  live: Record<string, unknown>,
): Promise<MirrorUnderFuzz> {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-fuzz-'))
  writeFileSync(
    join(dir, 'routing.json'),
    JSON.stringify({ version: 1, updatedAt: new Date().toISOString(), validations: live }),
  )
  const raw = { listen: '127.0.0.1:0', admin: '127.0.0.1:0', drain: '2s', spool: { dir }, ...section }
  const { value, problems } = decodeSection(raw, 'mirror', mirrorSchema, {})
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const errors: string[] = []
  const logger = createLogger('mirror', 'silent')
  const silent = logger.error
  logger.error = ((fields: { err?: Error }, message: string) => {
    errors.push(`${message}: ${fields.err?.stack ?? JSON.stringify(fields)}`)
  }) as typeof silent
  const mirror = await startMirror({ config: value as MirrorConfig, logger })
  const page = async (path: string) => (await fetch(mirror.adminUrl + path)).text()
  const metrics = () => page('/metrics')
  return {
    port: Number(new URL(mirror.url).port),
    errors,
    metrics,
    ledger: async () => JSON.parse(await page('/ledger')).validations,
    gauge: async (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics())?.[1]),
    heldBytes: () => mirror.heldBytes,
    async reload() {
      await (await mirror.prepare(value as MirrorConfig)).apply()
    },
    async stop() {
      await mirror.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
