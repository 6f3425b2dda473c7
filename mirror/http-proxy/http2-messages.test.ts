import { expect, test } from 'vitest'
import { field } from '../http1/fields.ts'
import { byName } from './http2-messages.ts'

test('a name that comes again and again takes no longer than as many names', () => {
  const startedAt = performance.now()
  const values = byName([
    field('X-Other', 'a'),
    ...Array.from({ length: 30_000 }, (_, i) => field('X-Many', String(i))),
  ])
  expect(Object.keys(values)).toEqual(['x-other', 'x-many'])
  expect(values['x-many']).toHaveLength(30_000)
  expect(performance.now() - startedAt).toBeLessThan(1000)
})
