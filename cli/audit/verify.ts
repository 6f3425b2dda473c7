import { comparatorSchema } from '../../comparator/config.ts'
import { listAuditFrom } from '../../comparator/store/audit/audit.ts'
import { followChain, type ReadEntries } from '../../comparator/store/audit/audit-chain.ts'
import { openDatabase } from '../../comparator/store/database/open-database.ts'
import { migrationStatus } from '../../comparator/store/migrate/migrate.ts'
import { loadSection } from '../../runtime/config/load-config.ts'
import { ApiClient } from '../api-client.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import { printJson } from '../print-json.ts'

export interface VerifyOptions {
  config?: string
  server?: string
  token?: string
  expect?: string
  json?: true
}

export async function verifyAudit(options: VerifyOptions): Promise<void> {
  const { expect, json } = options
  const { entries, head, broken } = await reading(options, (read) => followChain(read, expect))
  if (json) printJson({ ok: !broken, entries, head, broken })
  else if (broken)
    process.stdout.write(`broken at entry ${broken.id}: ${broken.problem}; ${entries} entries up to there are intact\n`)
  else process.stdout.write(`${entries} entries, one chain; head ${head}\n`)
  process.exitCode = broken ? exitCodes.fail : exitCodes.ok
}

async function reading<Result>({ config, server, token }: VerifyOptions, use: (read: ReadEntries) => Promise<Result>) {
  if ((config === undefined) === (server === undefined)) {
    throw new CliFailure('expected one of --config FILE and --server URL')
  }
  if (server !== undefined) {
    const client = new ApiClient({ server, ...(token !== undefined && { token }) })
    return use(async (after, limit) => (await client.auditFrom(after, limit)).entries)
  }
  const { database } = loadSection(config!, 'comparator', comparatorSchema)
  const { db, close } = await openDatabase(database, { onlyReads: true })
  try {
    if ((await migrationStatus(db)).every(({ appliedAt }) => appliedAt === null)) {
      throw new Error('comparator.database: no comparator has used this database yet, so it has no audit')
    }
    return await use((after, limit) => listAuditFrom(db, limit, after))
  } finally {
    await close()
  }
}
