import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'
import { readBody } from './read-body.ts'

const bytesMax = 1024 * 1024
const limits = { bytesMax, timeoutMs: 60_000 }

function startReading(headers: Record<string, string> = {}, budget = new BodyBudget(() => bytesMax)) {
  const request = new Readable({ read() {} })
  const body = readBody(Object.assign(request, { headers }) as unknown as IncomingMessage, limits, budget.open(false))
  return { request, body, budget }
}

test('a body that arrives byte by byte takes no more memory than its bytes', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { request, body, budget } = startReading()
  const all = Buffer.from('0123456789'.repeat(20_000))
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < all.length; i++) {
    request.push(all.subarray(i, i + 1))
    if (i % 1000 === 999) await setImmediate()
  }
  expect(budget.heldBytes).toBe(all.length)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024)
  request.push(null)
  expect((await body).equals(all)).toBe(true)
})

test('a body that was announced but does not arrive takes little memory', async () => {
  const before = process.memoryUsage().arrayBuffers
  const headers = { 'content-length': String(bytesMax * 16) }
  const request = Object.assign(new Readable({ read() {} }), { headers }) as unknown as IncomingMessage
  const hold = new BodyBudget(() => bytesMax * 16).open(false)
  const body = readBody(request, { bytesMax: bytesMax * 16, timeoutMs: 60_000 }, hold)
  request.push(Buffer.alloc(1))
  await setImmediate()
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * bytesMax)
  const rest = Buffer.alloc(bytesMax * 4 - 1, 7)
  for (let i = 0; i < 4; i++) request.push(i === 0 ? rest : Buffer.alloc(bytesMax * 4, i))
  request.push(null)
  const whole = await body
  expect([whole.length, whole[0], whole[1], whole.at(-1)]).toEqual([bytesMax * 16, 0, 7, 3])
})

test.each([
  ['one piece', [10], undefined],
  ['one piece as announced', [10], '10'],
  ['pieces as announced', [4, 4, 2], '10'],
  ['pieces that grow', [1, 2, 300, 70_000, 5], undefined],
  ['no piece', [], undefined],
])('%s is complete at the end', async (_, sizes, length) => {
  const { request, body } = startReading(length === undefined ? {} : { 'content-length': length })
  const pieces = sizes.map((size, i) => Buffer.alloc(size, i + 1))
  for (const piece of pieces) request.push(piece)
  request.push(null)
  expect((await body).equals(Buffer.concat(pieces))).toBe(true)
})

test('a body in one piece is not copied', async () => {
  const { request, body } = startReading({ 'content-length': '10' })
  const piece = Buffer.from('0123456789')
  request.push(piece)
  request.push(null)
  expect((await body).buffer).toBe(piece.buffer)
})

test('numbers after JSON of any length can be read in place', async () => {
  for (let jsonBytes = 1; jsonBytes <= 16; jsonBytes++) {
    const { request, body } = startReading({ 'inference-header-content-length': String(jsonBytes) })
    for (const size of [jsonBytes, 40, 40]) request.push(Buffer.alloc(size, size))
    request.push(null)
    const { byteOffset, length } = await body
    expect([(byteOffset + jsonBytes) % 8, length]).toEqual([0, jsonBytes + 80])
  }
  for (const nonsense of ['x', '-1', '1.5', '9'.repeat(400)]) {
    const { request, body } = startReading({ 'inference-header-content-length': nonsense })
    for (const size of [3, 40]) request.push(Buffer.alloc(size))
    request.push(null)
    expect(await body).toHaveLength(43)
  }
})

test('bodies decompressed at the same time stay within the shared budget', async () => {
  const budget = new BodyBudget(() => bytesMax)
  const packed = gzipSync(Buffer.alloc(bytesMax - 64 * 1024))
  const before = process.memoryUsage().arrayBuffers
  const bodies = Array.from({ length: 64 }, () => {
    const { request, body } = startReading({ 'content-encoding': 'gzip' }, budget)
    request.push(packed)
    request.push(null)
    return body
  })
  let pending = true
  const outcomes = Promise.allSettled(bodies).finally(() => {
    pending = false
  })
  let most = 0
  while (pending) {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    await setImmediate()
  }
  expect(most).toBeLessThan(16 * bytesMax)
  const reasons = (await outcomes).filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.code)
  expect(reasons.length).toBeGreaterThanOrEqual(63)
  expect(new Set(reasons)).toEqual(new Set(['BODIES_FULL']))
})
