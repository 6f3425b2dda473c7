import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import { firstPrevHash, followChain, hashOfEntry } from './audit-chain.ts'

function chainOf(length: number): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (let id = 1; id <= length; id++) {
    const content = {
      actor: 'ada',
      role: 'operator' as const,
      action: 'policy.applied',
      validation: 'churn',
      details: { id },
    }
    const linked = {
      ...content,
      at: new Date(id * 1000).toISOString(),
      prevHash: entries.at(-1)?.hash ?? firstPrevHash,
    }
    entries.push({ ...linked, id, hash: hashOfEntry(linked) })
  }
  return entries
}

const reading = (entries: AuditEntry[]) => async (after: number, limit: number) =>
  entries.filter(({ id }) => id > after).slice(0, limit)

test.each([0, 1, 499, 500, 501, 1000])('a chain of %d entries is followed to its end', async (length) => {
  const entries = chainOf(length)
  const head = entries.at(-1)?.hash ?? firstPrevHash
  expect(await followChain(reading(entries))).toEqual({ entries: length, head, broken: null })
})

test('a break behind the first entries that are read at once is found, with what holds before it', async () => {
  const entries = chainOf(700)
  const cut = entries.toSpliced(600, 1)
  const { head, ...found } = await followChain(reading(cut))
  expect(found).toMatchObject({ entries: 600, broken: { id: 602 } })
  expect(head).toBe(entries[599]!.hash)
})

test('a hash that was noted is sought in the whole chain', async () => {
  const entries = chainOf(3)
  expect(await followChain(reading(entries), entries[0]!.hash)).toMatchObject({ entries: 3, broken: null })
  expect(await followChain(reading(entries.slice(0, 2)), entries[2]!.hash)).toMatchObject({
    entries: 2,
    broken: { id: 2, problem: expect.stringContaining('the end was cut off') },
  })
})
