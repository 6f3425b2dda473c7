import type { Db, Tx } from '../database/open-database.ts'
import type { ValidationRow } from '../database/tables.ts'

export async function listValidations(db: Db | Tx): Promise<ValidationRow[]> {
  return db.selectFrom('validation').selectAll().orderBy('name').execute()
}

export async function findValidation(db: Db | Tx, name: string): Promise<ValidationRow> {
  return db.selectFrom('validation').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
}

export async function routingVersion(db: Db | Tx): Promise<{ version: number; updated_at: Date }> {
  return db.selectFrom('routing').select(['version', 'updated_at']).executeTakeFirstOrThrow()
}
