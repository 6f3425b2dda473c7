import pg from 'pg'

/** The wire messages of `copy … from stdin`, as pg hands them to a query of one's own. */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** A bare `copy` of lines into a table without an index; returns the seconds that it took, commit included. */
export async function copyIntoPostgres(url: string, bytes: Buffer): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('drop table if exists bare')
    await client.query('create table bare (line text not null)')
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

/** JSON as `copy`'s text format takes it: a backslash is its escape. */
export const copyText = (lines: readonly string[]) => Buffer.from(`${lines.join('\n').replaceAll('\\', '\\\\')}\n`)
