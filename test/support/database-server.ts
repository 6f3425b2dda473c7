import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Creates a database on this server as a copy of `template`, which must have no connections. */
export async function createOn(server: string, template: string): Promise<{ name: string; url: string }> {
  const name = `understudy_test_${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href }
}

export const dropOn = (server: string, name: string) => onServer(server, `drop database ${name} with (force)`)

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
