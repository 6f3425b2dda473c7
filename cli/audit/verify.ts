import { comparatorSchema } from '../../comparator/config.ts'
import { listAuditFrom } from '../../comparator/store/audit.ts'
import { type BrokenLink, ChainCheck } from '../../comparator/store/audit-chain.ts'
import { openDatabase } from '../../comparator/store/open-database.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import type { AuditEntry } from '../../vocabulary/audit.ts'
import { ApiClient } from '../api-client.ts'
import { CliFailure, exitCodes } from '../failure.ts'

const entriesPerReadMax = 500

export interface VerifyOptions {
  config?: string
  server?: string
  token?: string
  expect?: string
  json?: true
}

/** Oldest first, ids above `after`; at most `entriesPerReadMax`. */
type ReadEntries = (after: number) => Promise<AuditEntry[]>

export async function verifyAudit(options: VerifyOptions): Promise<void> {
  const { expect, json } = options
  const check = new ChainCheck(expect)
  const broken = await reading(options, (read) => verify(check, read))
  const { count, head } = check
  if (json) process.stdout.write(`${JSON.stringify({ ok: !broken, entries: count, head, broken: broken ?? null })}\n`)
  else if (broken)
    process.stdout.write(`broken at entry ${broken.id}: ${broken.problem}; ${count} entries before it hold\n`)
  else process.stdout.write(`${count} entries, one chain; head ${head}\n`)
  process.exitCode = broken ? exitCodes.fail : exitCodes.ok
}

async function verify(check: ChainCheck, read: ReadEntries): Promise<BrokenLink | undefined> {
  for (let after = 0; ; ) {
    const entries = await read(after)
    for (const entry of entries) {
      const broken = check.add(entry)
      if (broken) return broken
      after = entry.id
    }
    if (entries.length < entriesPerReadMax) return check.end()
  }
}

async function reading<Result>({ config, server, token }: VerifyOptions, use: (read: ReadEntries) => Promise<Result>) {
  if ((config === undefined) === (server === undefined)) {
    throw new CliFailure('expected one of --config FILE and --server URL', exitCodes.usage)
  }
  if (server !== undefined) {
    const client = new ApiClient({ server, ...(token !== undefined && { token }) })
    return use(async (after) => (await client.auditFrom(after, entriesPerReadMax)).entries)
  }
  const { database } = loadSection(config!, 'comparator', comparatorSchema)
  try {
    return await readingDatabase(database, use)
  } catch (error) {
    // whoever asks in a script must not take it for a broken chain
    throw new CliFailure(`understudy: ${(error as Error).message}`, exitCodes.usage)
  }
}

async function readingDatabase<Result>(database: string, use: (read: ReadEntries) => Promise<Result>) {
  const { db, close } = await openDatabase(database)
  try {
    return await use((after) => listAuditFrom(db, entriesPerReadMax, after))
  } finally {
    await close()
  }
}
