import { expect, test } from 'vitest'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggedMirror } from '../testing/logged-mirror.ts'
import { mirrorConfig, route, send } from '../testing/mirror-under-test.ts'

const warning =
  "exchanges with bodies of capture.bodyMax are shed: a worker's share of capture.memoryMax has no room for one"
const mebibyte = 1024 * 1024

async function sectionWith(bodyMax: string, memoryMax: string) {
  const upstream = await fakeUpstream(async (request, response) => {
    for await (const chunk of request) response.write(chunk)
    response.end()
  })
  const comparator = await fakeComparator()
  return {
    primary: upstream.url,
    comparator: { url: comparator.url, token: 't' },
    capture: { bodyMax, memoryMax },
    routes: route({ validation: 'v', url: upstream.url }),
  }
}

const mirrorWith = async (bodyMax: string, memoryMax: string) => loggedMirror(await sectionWith(bodyMax, memoryMax))

test('with memory for one exchange of three large bodies it is compared, and nothing is logged', async () => {
  const { mirror, logged } = await mirrorWith('1MiB', '8MiB')
  await send(`${mirror.url}/p`, { body: Buffer.alloc(mebibyte) })
  expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 1 })
  expect(logged(warning)).toEqual([])
})

test('too little memory for one is logged at the start; small exchanges are still compared', async () => {
  const { mirror, logged } = await mirrorWith('1MiB', '6MiB')
  expect(logged(warning)).toMatchObject([
    { level: 'warn', bodyMax: mebibyte, memoryMax: 6 * mebibyte, needed: 8 * mebibyte },
  ])
  await send(`${mirror.url}/p`, { body: Buffer.alloc(mebibyte) })
  expect(await mirror.settled('v', 1)).toMatchObject({ skipped: { shed: 1 } })
  await send(`${mirror.url}/p`, { body: Buffer.alloc(mebibyte / 2) })
  expect(await mirror.settled('v', 2)).toMatchObject({ delivered: 1 })
})

test('a reload that leaves too little memory logs so, and no other reload does', async () => {
  const section = await sectionWith('1MiB', '8MiB')
  const { mirror, logged } = await loggedMirror(section)
  const next = mirrorConfig({ ...section, capture: { ...section.capture, bodyMax: '2MiB' } })
  const prepared = await mirror.prepare(next)
  expect(logged(warning)).toEqual([])
  await prepared.apply()
  expect(logged(warning)).toMatchObject([{ bodyMax: 2 * mebibyte, memoryMax: 8 * mebibyte, needed: 16 * mebibyte }])
})

test('a bodyMax beyond all memory does not keep small exchanges from being compared', async () => {
  const { mirror, logged } = await mirrorWith('128MiB', '1MiB')
  await send(`${mirror.url}/p`, { body: '{}' })
  expect(await mirror.settled('v', 1)).toMatchObject({ delivered: 1 })
  expect(logged(warning).length).toBe(1)
})

test('if nothing is mirrored, nothing is logged', async () => {
  const upstream = await fakeUpstream(answering('{}'))
  const { logged } = await loggedMirror({ primary: upstream.url, capture: { bodyMax: '1MiB', memoryMax: '1B' } })
  expect(logged(warning)).toEqual([])
})
