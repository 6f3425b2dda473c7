import { randomBytes } from 'node:crypto'
import pg from 'pg'

const serverUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A database for this bench on the server. Dropping it is harmless if it was never created. */
export function temporaryDatabase() {
  const name = `understudy_bench_${randomBytes(6).toString('hex')}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    create: () => onServer(`create database ${name}`),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  }
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** The server's name and version; undefined if none answers. */
export async function serverVersion(): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return `PostgreSQL ${rows[0]!.server_version.split(' ')[0]}`
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}
