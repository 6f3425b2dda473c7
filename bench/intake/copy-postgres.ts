import pg from 'pg'

/** The wire messages of `copy … from stdin`, as pg passes them to a custom query. */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Targets of a bare `copy`: text without an index, or documents keyed by id. */
export const copyTables = {
  copy: 'create table bare (line text not null)',
  copyKeyed: 'create table bare (id uuid primary key, observation jsonb not null)',
}
export type CopyTable = keyof typeof copyTables

/** Runs a bare `copy` of observations; returns its duration in seconds, including the commit. */
export async function copyIntoPostgres(url: string, table: CopyTable, lines: readonly string[]): Promise<number> {
  const bytes = copyText(table, lines)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('drop table if exists bare')
    await client.query(copyTables[table])
    const startedAt = performance.now()
    await copy(client, 'copy bare from stdin', bytes)
    return (performance.now() - startedAt) / 1000
  } finally {
    await client.end()
  }
}

const chunkBytes = 64 * 1024

function copy(client: pg.Client, text: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => {
        for (let at = 0; at < bytes.length; at += chunkBytes) {
          connection.sendCopyFromChunk(bytes.subarray(at, at + chunkBytes))
        }
        connection.endCopyFrom()
      },
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    } as unknown as pg.Submittable)
  })
}

/** In `copy`'s text format a backslash escapes and a tab ends a column. */
export function copyText(table: CopyTable, lines: readonly string[]): Buffer {
  const rows = table === 'copy' ? lines : lines.map((line) => `${(JSON.parse(line) as { id: string }).id}\t${line}`)
  return Buffer.from(`${rows.join('\n').replaceAll('\\', '\\\\')}\n`)
}
