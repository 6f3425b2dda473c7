import { PGlite } from '@electric-sql/pglite'

/** The same as `copyIntoPostgres`, into a PGlite of its own in this directory. */
export async function copyIntoPglite(directory: string, bytes: Buffer): Promise<number> {
  const pglite = await PGlite.create({ dataDir: directory })
  try {
    await pglite.exec('create table bare (line text not null)')
    const startedAt = performance.now()
    await pglite.query("copy bare from '/dev/blob'", [], { blob: new Blob([new Uint8Array(bytes)]) })
    return (performance.now() - startedAt) / 1000
  } finally {
    await pglite.close()
  }
}
