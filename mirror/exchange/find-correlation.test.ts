import { Worker } from 'node:worker_threads'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { field } from '../http1/fields.ts'
import { findCorrelation } from './find-correlation.ts'

const bytesMax = 4 * 1024 * 1024
const find = (body: Buffer, encoding?: string) =>
  findCorrelation(body, encoding === undefined ? [] : [field('Content-Encoding', encoding)], '/order/id', bytesMax)
const jsonOf = (id: unknown, padding = 0) =>
  Buffer.from(JSON.stringify({ order: { id }, padding: 'x'.repeat(padding) }))

test('the same id is found whatever the coding, and a small plain body costs no turn of the event loop', async () => {
  const body = jsonOf('a-1')
  expect(find(body)).toBe('a-1')
  expect(find(body, 'identity')).toBe('a-1')
  expect(await find(gzipSync(body), 'gzip')).toBe('a-1')
  expect(await find(brotliCompressSync(gzipSync(body)), 'gzip, br')).toBe('a-1')
})

test('a numeric id keeps all of its digits', () => {
  expect(find(jsonOf(7))).toBe('7')
  expect(find(jsonOf(JSON.rawJSON('9007199254740993')))).toBe('9007199254740993')
})

test('large bodies are parsed by a thread, each for its own caller', async () => {
  const found = Array.from({ length: 20 }, (_, i) => find(jsonOf(`a-${i}`, 100_000)))
  for (const one of found) expect(one).toBeInstanceOf(Promise)
  expect(await Promise.all(found)).toEqual(Array.from({ length: 20 }, (_, i) => `a-${i}`))
  expect(await find(gzipSync(jsonOf('packed', 1_000_000)), 'gzip')).toBe('packed')
})

test('many small bodies that decode to large ones are not all decoded while the thread parses the first', async () => {
  const packed = gzipSync(`{"order":{"id":"a-1"},"rows":[${'{"a":[]},'.repeat(100_000)}0]}`)
  let found = 0
  const given: number[] = []
  const { postMessage } = Worker.prototype
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, value: unknown) {
    given.push(given.length + 1 - found)
    postMessage.call(this, value)
  })
  onTestFinished(() => spy.mockRestore())
  const asked = Array.from({ length: 20 }, async () => {
    const id = await find(packed, 'gzip')
    found++
    return id
  })
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['a-1']))
  expect(given.length).toBe(20)
  expect(Math.max(...given)).toBeLessThanOrEqual(4)
})

test('in an unreadable body nothing is found, in the thread as on the event loop', async () => {
  expect(find(Buffer.from('no JSON'))).toBe(undefined)
  expect(await find(Buffer.alloc(100_000, '['))).toBe(undefined)
  expect(await find(jsonOf({ not: 'an id' }, 100_000))).toBe(undefined)
  expect(await find(Buffer.from('not packed'), 'gzip')).toBe(undefined)
  expect(await find(gzipSync(Buffer.alloc(2 * bytesMax)), 'gzip')).toBe(undefined)
  expect(await find(jsonOf('a-1'), 'unknown')).toBe(undefined)
})
