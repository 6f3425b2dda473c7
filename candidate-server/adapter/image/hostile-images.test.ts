import sharp from 'sharp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { CandidateServer } from '../../server.ts'
import { pngOf, pngThatSays, samplesOf, tiffOf } from '../../testing/images.ts'
import { call, demoModel, demoRows, startTestServer, testModel } from '../../testing/start-test-server.ts'

let server: CandidateServer
beforeAll(async () => {
  server = await startTestServer({
    // large pictures wait for one another
    queue: { timeout: '60s' },
    limits: { imagePixelsMax: 13_000_000 },
    models: [
      { name: 'digits', path: demoModel('digits-student'), adapter: 'image' },
      { name: 'whole', path: testModel('echo-any-size'), adapter: 'image', image: { scale: 1 } },
      { name: 'shorter', path: testModel('echo-any-size'), adapter: 'image', image: { scale: 1, resize: 100 } },
    ],
  })
})
afterAll(() => server.stop())
const predict = (model: string, body: unknown, headers?: Record<string, string>) =>
  call(`${server.url}/predictions/${model}`, body, headers)

const picture = async () => sharp(await pngOf(64, 48, samplesOf(64, 48)))
const digit = () => Buffer.from(demoRows<{ image: string }>('digits')[0]!.image, 'base64')

test.each<[string, unknown, Record<string, string>, RegExp]>([
  ['text', 'hello', {}, /expected a PNG, JPEG, WebP, GIF or TIFF file, got 5 bytes/],
  ['an empty body', '', {}, /got 0 bytes of something else/],
  ['a vector file', '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>', {}, /expected a PNG/],
  ['a TIFF file in YCbCr', tiffOf(2, 1, 6, 8, [235, 128, 128, 16, 128, 128]), {}, /YCbCr .*; save it as RGB/],
  ['a header alone', digit().subarray(0, 8), {}, /cannot be decoded/],
  ['no image key', { picture: 'x' }, {}, /{"image": "base64 of the file"}/],
  ['no base64', { image: '***' }, {}, /expected base64/],
  ['spaces without end, and then no base64', { image: `${' '.repeat(1_000_000)}!` }, {}, /expected base64/],
  ['a data: URL that is not base64', { image: 'data:image/png,%89PNG' }, {}, /a data: URL in base64/],
  ['null', 'null', { 'content-type': 'application/json' }, /{"image": "base64 of the file"}/],
  ['broken JSON', '{"image": ', {}, /expected a JSON body/],
  [
    'multipart without a file',
    '--x\r\n\r\n\r\n--x--\r\n',
    { 'content-type': 'multipart/form-data; boundary=x' },
    /multipart/,
  ],
  ['multipart without a boundary', 'x', { 'content-type': 'multipart/form-data' }, /multipart/],
  [
    'multipart that ends within its file',
    '--x\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\nxxxx',
    { 'content-type': 'multipart/form-data; boundary=x' },
    /multipart/,
  ],
])('refuses %s', async (_, body, headers, message) => {
  expect(await predict('digits', body, headers)).toMatchObject({
    status: 400,
    body: { type: 'BadRequestException', message: expect.stringMatching(message) },
  })
})

test('refuses files of every kind that are cut short', async () => {
  const image = await picture()
  const files = {
    png: await image.clone().png().toBuffer(),
    jpeg: await image.clone().jpeg().toBuffer(),
    progressive: await image.clone().jpeg({ progressive: true }).toBuffer(),
    webp: await image.clone().webp({ lossless: true }).toBuffer(),
    gif: await image.clone().gif().toBuffer(),
    tiff: await image.clone().tiff({ compression: 'lzw' }).toBuffer(),
  }
  for (const [kind, file] of Object.entries(files)) {
    expect((await predict('whole', file)).status, kind).toBe(200)
    for (const share of [0.3, 0.6, 0.9]) {
      const { status, body } = await predict('whole', file.subarray(0, Math.floor(file.length * share)))
      expect([status, body.message], `${kind} cut at ${share}`).toEqual([
        400,
        expect.stringContaining('the image cannot be decoded'),
      ])
    }
  }
})

test('refuses a small file that unpacks to a huge image, judging by its header', async () => {
  const bomb = await sharp({ create: { width: 5000, height: 5000, channels: 3, background: '#000' } })
    .png()
    .toBuffer()
  expect(bomb.length).toBeLessThan(400_000)
  for (const file of [bomb, pngThatSays(5000, 5000)]) {
    const { status, body } = await predict('digits', file)
    expect([status, body.message]).toEqual([
      400,
      'the image is 5000 wide and 5000 high, over limits.imagePixelsMax, 13000000 pixels',
    ])
  }
  for (const [width, height] of [
    [60_000, 60_000],
    [0x7fffffff, 0x7fffffff],
    [0, 5],
  ] as const) {
    expect((await predict('digits', pngThatSays(width, height))).status).toBe(400)
  }
})

test('refuses a strip that resizing would make huge, and an image whose tensor would be huge', async () => {
  const strip = await sharp({ create: { width: 1, height: 9000, channels: 3, background: '#000' } })
    .png()
    .toBuffer()
  expect((await predict('shorter', strip)).body.message).toMatch(/would be resized to 100 wide and 900000 high/)
  const float = await startTestServer({
    models: [
      { name: 'digits', path: demoModel('digits-student'), adapter: 'image', image: { resize: 16_384, crop: 8 } },
    ],
  })
  const { status, body } = await call(`${float.url}/predictions/digits`, digit())
  await float.stop()
  expect([status, body.message]).toEqual([400, expect.stringMatching(/resized to 16384 wide and 16384 high/)])
})

test('many large images at once hold the pixels of only a few', async () => {
  // 12 million pixels each, 36 MB when decoded, in a file of a few kB
  const large = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#a42' } })
    .png({ compressionLevel: 9 })
    .toBuffer()
  await predict('digits', large)
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before)
  }, 5)
  const answers = await Promise.all(Array.from({ length: 24 }, () => predict('digits', large)))
  clearInterval(watch)
  expect(answers.map(({ status }) => status)).toEqual(new Array(24).fill(200))
  // all of them at once would take 1.15 GB: colours and luma
  expect(most / 1e6).toBeLessThan(600)
})

test('the tensors of many small files count towards the body budget while they wait for the model', async () => {
  const server = await startTestServer({
    limits: { bodyMax: '1MiB', bodiesMax: '4MiB' },
    models: [{ name: 'whole', path: testModel('echo-any-size'), adapter: 'image', image: { scale: 1 } }],
  })
  onTestFinished(() => server.stop())
  const { instances } = (await call(`${server.url}/plan`)).body
  // 2.25 MB each
  const large = await sharp({ create: { width: 1000, height: 750, channels: 3, background: '#a42' } })
    .png()
    .toBuffer()
  const send = () => call(`${server.url}/predictions/whole`, large)
  process.kill(instances[0].pid, 'SIGSTOP')
  const asked = Array.from({ length: 6 }, send)
  const refused = await Promise.any(asked)
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('bodies and tensors')])
  process.kill(instances[0].pid, 'SIGCONT')
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0)
})
