import { expect, test } from 'vitest'
import { compress } from './compress.ts'

const body = 'a'.repeat(2000)

test('compression extends an adapter’s own Vary header', async () => {
  const headers = { vary: 'accept-language' }
  expect((await compress({ status: 200, headers, body }, 'gzip')).headers).toEqual({
    'content-encoding': 'gzip',
    vary: 'accept-language, accept-encoding',
  })
  expect((await compress({ status: 200, headers: {}, body }, 'gzip')).headers.vary).toBe('accept-encoding')
})
