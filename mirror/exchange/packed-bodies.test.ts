import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { fieldsOf } from '../http1/fields.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, route, send } from '../testing/mirror-under-test.ts'
import { observedRequest } from './observation-parts.ts'

const mebibyte = 1024 * 1024
const packed = gzipSync(Buffer.alloc(mebibyte))
const headers = { 'content-encoding': 'gzip' }

test('decoded bodies are held within capture.memoryMax', async () => {
  const [primary, quick, hung] = await Promise.all(
    [answering(packed, headers), answering(packed, headers), hanging].map((answer) => fakeUpstream(answer)),
  )
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary!.url,
    comparator: { url: comparator.url, token: 't' },
    routes: route({ validation: 'quick', url: quick!.url }, { validation: 'hung', url: hung!.url, deadline: '60s' }),
  })
  await send(`${mirror.url}/p`, { body: packed, headers })
  await mirror.settled('quick', 1)
  // the request and the two answers, as long as another candidate may answer
  expect(mirror.heldBytes).toBeGreaterThan(3 * mebibyte)
  await hung!.close()
  await mirror.settled('hung', 1)
  await waitFor('all to be given back', async () => mirror.heldBytes === 0)
})

test('an exchange is shed if its decoded bodies and their observation do not fit together', async () => {
  // the bodies take 2 MiB, and the observation 2.7
  const primary = await fakeUpstream(answering(gzipSync(Buffer.alloc(mebibyte / 2)), headers))
  const comparator = await fakeComparator()
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    capture: { memoryMax: '3MiB' },
    routes: route({ validation: 'v', url: primary.url }),
  })
  await send(`${mirror.url}/p`, { body: packed, headers })
  expect(await mirror.settled('v', 1)).toMatchObject({ skipped: { shed: 1 } })
  expect(mirror.heldBytes).toBe(0)
})

test('of a flood of compressed bodies four are decoded at once, a thousand wait, and the others are shed', async () => {
  const rules = { headers: [], versionHeader: '', digestHeader: '', bodyMax: mebibyte }
  const small = gzipSync('{}')
  const fields = fieldsOf(['content-encoding', 'gzip'])
  const copies = await Promise.all(
    Array.from({ length: 1100 }, () =>
      observedRequest({ method: 'POST', target: '/p', fields }, small, rules, () => true),
    ),
  )
  expect(copies.filter((copy) => copy === undefined)).toHaveLength(1100 - 1004)
  expect(copies.find((copy) => copy !== undefined)).toMatchObject({ body: '{}' })
})
