import { expect, test } from 'vitest'
import { cpuMsOf } from '../../../test/support/cpu-time.ts'
import { field } from '../../http1/fields.ts'
import { byName } from './http2-messages.ts'

test('a name repeated many times takes no longer than as many different names', () => {
  const many = Array.from({ length: 30_000 }, (_, i) => field('X-Many', String(i)))
  const took = cpuMsOf(() => {
    const values = byName([field('X-Other', 'a'), ...many])
    expect(Object.keys(values)).toEqual(['x-other', 'x-many'])
    expect(values['x-many']).toHaveLength(30_000)
  })
  expect(took).toBeLessThan(1000)
})
