import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

test('a million keys take bounded memory; the newest half stays, and so does an old key that is set again', () => {
  const map = new RecentMap<number>(100)
  for (let i = 0; i < 1_000_000; i++) {
    map.set(`key ${i}`, i)
    if (i % 40 === 0) map.set('kept', i)
    if (map.size > 100) throw new Error(`holds ${map.size}`)
  }
  for (let i = 999_999; i > 999_951; i--) expect(map.get(`key ${i}`)).toBe(i)
  expect(map.get('kept')).toBe(999_960)
  expect(map.get('key 0')).toBeUndefined()
})
