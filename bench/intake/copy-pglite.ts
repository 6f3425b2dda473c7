import { PGlite } from '@electric-sql/pglite'
import { type CopyTable, copyTables, copyText } from './copy-postgres.ts'

/** Like `copyIntoPostgres`, into a separate PGlite in this directory. */
export async function copyIntoPglite(directory: string, table: CopyTable, lines: readonly string[]): Promise<number> {
  const bytes = copyText(table, lines)
  const pglite = await PGlite.create({ dataDir: directory })
  try {
    await pglite.exec(copyTables[table])
    const startedAt = performance.now()
    await pglite.query("copy bare from '/dev/blob'", [], { blob: new Blob([new Uint8Array(bytes)]) })
    return (performance.now() - startedAt) / 1000
  } finally {
    await pglite.close()
  }
}
