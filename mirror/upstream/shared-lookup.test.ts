import { expect, test } from 'vitest'
import { sharedLookup } from './shared-lookup.ts'

const ask = (hostname: string, all: boolean) =>
  new Promise<unknown>((resolve) =>
    sharedLookup(hostname, { all }, (error, address) => resolve(error?.code ?? address)),
  )

test('all who ask at the same time get the answer that their options ask for, and later ones their own', async () => {
  const [one, many, again] = await Promise.all([
    ask('127.0.0.1', false),
    ask('127.0.0.1', true),
    ask('127.0.0.1', false),
  ])
  expect([one, many, again]).toEqual(['127.0.0.1', [{ address: '127.0.0.1', family: 4 }], '127.0.0.1'])
  expect(await ask('127.0.0.1', false)).toBe('127.0.0.1')
})

test('a name that does not exist fails for all of them', async () => {
  const failures = await Promise.all(Array.from({ length: 20 }, () => ask('nowhere.invalid', false)))
  expect(new Set(failures).size).toBe(1)
  expect(String(failures[0])).toMatch(/^E/)
})
