import { expect, test } from 'vitest'
import { ParseThread } from './parse-thread.ts'

test('if no thread can be started, or it takes no body, nothing is found, and the next body is tried again', async () => {
  const thread = new ParseThread()
  const gone = Buffer.from(new ArrayBuffer(8))
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  expect(await thread.correlation(gone, '/id')).toBe(undefined)
  expect(await thread.correlation(Buffer.from('{"id":"a-1"}'), '/id')).toBe('a-1')
})
