import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiError } from '../../../runtime/api-error.ts'
import { type ImageOptions, interpolations } from '../../config/adapter-options.ts'
import type { CandidateServer } from '../../server.ts'
import { toJsonElements } from '../../tensor/json-tensor.ts'
import { nest } from '../../tensor/nested-array.ts'
import type { ElementType } from '../../tensor/tensor.ts'
import { fourPixels, pngOf, samplesOf, tiffOf, withGreyProfile } from '../../testing/images.ts'
import { call, demoModel, demoRows, startTestServer, testConfig, testModel } from '../../testing/start-test-server.ts'
import type { WorkerAdapter } from '../worker-adapter.ts'
import { createImageAdapter } from './image.ts'

const labels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
/** A model that takes pictures of any size, or of these sides, and returns them as bytes. */
const anySize = (image: ImageOptions, channels = 3, sides = [-1, -1]) =>
  createImageAdapter(
    {
      name: 'm',
      version: '1',
      labels: undefined,
      path: 'm.onnx',
      runsAlone: false,
      inputs: [{ name: 'image', type: 'uint8', shape: [-1, channels, ...sides] }],
      outputs: [],
      batch: { kind: 'dynamic' },
    },
    { options: { scale: 1, ...image }, pixelsMax: 1_000_000 },
  )
/** Effects of options are tested on the adapters directly; `whole` also goes through the server. */
const adapters: Record<string, WorkerAdapter> = {
  upright: anySize({ exifOrientation: true }),
  cut: anySize({ crop: 2 }),
  shorter: anySize({ resize: 8 }),
  evaluated: anySize({ resize: 64, crop: [64, 80] }),
  ...Object.fromEntries(
    interpolations.flatMap((interpolation) => [
      [`${interpolation}-larger`, anySize({ resize: [5, 6], crop: [5, 6], interpolation })],
      [`${interpolation}-mixed`, anySize({ resize: [5, 3], interpolation })],
      [`${interpolation}-rgba`, anySize({ resize: [5, 6], interpolation }, 4)],
    ]),
  ),
  smaller: anySize({ resize: [40, 30] }),
  wide: anySize({}, 3, [-1, 9]),
  high: anySize({}, 3, [9, -1]),
  square: anySize({}, 3, [9, 9]),
}

let server: CandidateServer
beforeAll(async () => {
  server = await startTestServer({
    models: [
      { name: 'digits', path: demoModel('digits-student'), adapter: 'image', labels },
      {
        name: 'rgb',
        path: testModel('echo-rgb'),
        adapter: 'image',
        image: { mean: [0.5, 0.5, 0.5], std: [0.5, 0.25, 1] },
      },
      { name: 'half', path: testModel('echo-half'), adapter: 'image' },
      { name: 'grey', path: testModel('echo-grey'), adapter: 'image' },
      { name: 'bytes', path: testModel('echo-bytes'), adapter: 'image' },
      { name: 'bgr', path: testModel('echo-bytes'), adapter: 'image', image: { colours: 'bgr' } },
      { name: 'whole', path: testModel('echo-any-size'), adapter: 'image', image: { scale: 1 } },
    ],
  })
})
afterAll(() => server.stop())
async function predict(model: string, body: unknown, headers?: Record<string, string>) {
  const adapter = adapters[model]
  if (!adapter) return call(`${server.url}/predictions/${model}`, body, headers)
  const request = { method: 'POST', path: '/', headers: {}, body: body as Buffer, json: () => undefined }
  try {
    const { image } = await adapter.toTensors(request)
    return { status: 200, body: { predictions: nest(toJsonElements(image!), image!.shape.slice(1)) as any } }
  } catch (error) {
    const { status, message } = error as ApiError
    return { status, body: { message } as any }
  }
}
/** By channel, then row. */
const planes = async (model: string, body: unknown): Promise<number[][][]> => {
  const answer = await predict(model, body)
  expect(answer.status, String(answer.body.message)).toBe(200)
  return answer.body.predictions
}

describe('what the model gets', () => {
  const digits = demoRows<{ image: string; label: string }>('digits').slice(0, 20)

  test('is the same for raw bytes, base64 and multipart, and a model reads handwritten digits from it', async () => {
    let right = 0
    for (const { image, label } of digits) {
      const bytes = Buffer.from(image, 'base64')
      const form = new FormData()
      form.append('note', 'a field that is no file')
      form.append('image', new Blob([bytes]), 'digit.png')
      const raw = await predict('digits', bytes, { 'content-type': 'image/png' })
      expect(raw.status).toBe(200)
      expect((await predict('digits', { image })).body).toEqual(raw.body)
      expect((await predict('digits', form)).body).toEqual(raw.body)
      expect(raw.body.predictions).toHaveLength(10)
      expect(raw.body.label).toBe(labels[raw.body.predictions.indexOf(Math.max(...raw.body.predictions))])
      if (raw.body.label === label) right++
    }
    expect(right).toBeGreaterThanOrEqual(19)
  })

  test('comes from data: URLs, wrapped and URL-safe base64, and undeclared JSON', async () => {
    const { image } = digits[0]!
    const { body } = await predict('digits', { image })
    const wrapped = image.replace(/.{1,20}/g, '$&\r\n')
    const urlSafe = image.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    for (const text of [`data:image/png;base64,${image}`, wrapped, urlSafe]) {
      expect((await predict('digits', { image: text })).body).toEqual(body)
    }
    for (const before of ['', '\n  ']) {
      const undeclared = before + JSON.stringify({ image })
      expect((await predict('digits', undeclared, { 'content-type': 'text/plain' })).body).toEqual(body)
    }
  })

  test('comes from a part declared as an image without a file name', async () => {
    const { image } = digits[0]!
    const head = '--x\r\ncontent-disposition: form-data; name="data"\r\ncontent-type: image/png\r\n\r\n'
    const form = Buffer.concat([Buffer.from(head), Buffer.from(image, 'base64'), Buffer.from('\r\n--x--\r\n')])
    const { body } = await predict('digits', { image })
    for (const type of ['multipart/form-data; boundary=x', 'Multipart/Form-Data; boundary=x']) {
      expect((await predict('digits', form, { 'content-type': type })).body).toEqual(body)
    }
  })

  test('equals the raw tensor of the image’s pixels', async () => {
    const { image } = digits[0]!
    const { data } = await sharp(Buffer.from(image, 'base64'))
      .extractChannel(0)
      .raw()
      .toBuffer({ resolveWithObject: true })
    const pixels = Array.from(data, (byte) => byte / 255)
    const { body } = await call(`${server.url}/v2/models/digits/infer`, {
      inputs: [{ name: 'image', datatype: 'FP32', shape: [1, 1, 8, 8], data: pixels }],
    })
    const { predictions } = (await predict('digits', { image })).body
    for (const [i, score] of (body.outputs[0].data as number[]).entries()) expect(predictions[i]).toBeCloseTo(score, 6)
  })

  test('is laid out channel by channel or pixel by pixel, and normalised per channel', async () => {
    const at = (value: number, std: number) => (value - 0.5) / std
    expect(await planes('rgb', await fourPixels())).toEqual([
      [
        [at(1, 0.5), at(0, 0.5)],
        [at(0, 0.5), at(1, 0.5)],
      ],
      [
        [at(0, 0.25), at(1, 0.25)],
        [at(0, 0.25), at(1, 0.25)],
      ],
      [
        [at(0, 1), at(0, 1)],
        [at(1, 1), at(1, 1)],
      ],
    ])
    const rows = [
      [
        [255, 0, 0],
        [0, 255, 0],
      ],
      [
        [0, 0, 255],
        [255, 255, 255],
      ],
    ]
    expect(await planes('bytes', await fourPixels())).toEqual(rows)
    expect(await planes('bgr', await fourPixels())).toEqual(rows.map((row) => row.map((pixel) => pixel.toReversed())))
  })

  test('is float16 if the model takes float16', async () => {
    const pixels = await planes('half', await pngOf(2, 2, new Array(4).fill([51, 102, 255]).flat()))
    expect(pixels.map((plane) => plane[0]![0])).toEqual([0.2, 0.4, 1].map((value) => Math.f16round(value)))
  })
})

describe('resizing and cutting', () => {
  const shape = (got: number[][][]) => [got.length, got[0]!.length, got[0]![0]!.length]

  // Pillow 13 (`Image.resize`) on `samplesOf(4, 3)`: the reds resized to 6 × 5, the greens to 3 × 5
  test.each([
    [
      'bilinear',
      '0,19,43,68,93,111,36,55,79,104,129,147,91,110,134,159,184,202,146,165,163,86,85,103,182,201,182,37,19,37',
      '64,109,153,100,145,189,155,200,244,163,101,145,169,35,79',
    ],
    [
      'bicubic',
      '0,8,36,61,89,106,27,42,72,106,136,152,89,106,134,159,187,204,152,179,177,76,74,101,187,220,199,15,0,27',
      '53,102,150,91,149,196,151,200,248,173,90,145,181,12,71',
    ],
    [
      'lanczos',
      '0,8,36,53,81,98,21,32,68,110,146,159,89,105,135,158,188,204,154,192,183,79,71,108,178,231,196,9,0,27',
      '50,93,143,86,157,204,150,200,249,179,88,150,179,0,68',
    ],
  ])('enlarges by %s like Pillow, byte for byte', async (interpolation, larger, mixed) => {
    const png = await pngOf(4, 3, samplesOf(4, 3))
    expect((await planes(`${interpolation}-larger`, png))[0]!.flat().join()).toBe(larger)
    expect((await planes(`${interpolation}-mixed`, png))[1]!.flat().join()).toBe(mixed)
  })

  test.each([
    [
      'bilinear',
      '0,147,138,70,42,170,170,151,130,69,73,105,171,156,61,72,104,103,140,181,217,211,47,47,85,194,233,231,17,18',
      '0,128,234,149,66,3,102,136,154,92,80,82,255,148,33,7,100,200,156,163,141,29,117,233,90,173,213,43,128,255',
    ],
    [
      'bicubic',
      '0,155,152,63,0,0,186,153,128,59,68,118,182,156,0,0,102,102,139,182,235,255,34,46,19,197,240,255,0,14',
      '0,125,255,165,50,0,97,136,163,98,71,73,255,156,20,0,104,213,152,175,146,5,117,250,66,185,247,20,122,255',
    ],
    [
      'lanczos',
      '0,164,171,69,0,0,198,153,130,59,79,140,186,154,0,0,107,103,137,178,255,20,42,55,0,194,254,255,0,16',
      '0,121,255,188,33,0,103,136,149,112,64,69,255,167,3,0,111,220,156,190,129,0,119,255,39,197,255,21,110,252',
    ],
  ])(
    'enlarges four channels by %s like Pillow 13, colours weighted by their alpha',
    async (interpolation, red, alpha) => {
      const alphas = [0, 255, 128, 3, 255, 40, 0, 200, 90, 255, 1, 255]
      const samples = Array.from({ length: 48 }, (_, i) =>
        i % 4 === 3 ? alphas[(i - 3) / 4]! : (i * 37 + 91 * Math.floor(i / 16)) % 256,
      )
      const got = await planes(`${interpolation}-rgba`, await pngOf(4, 3, samples))
      expect([got[0]!.flat().join(), got[3]!.flat().join()]).toEqual([red, alpha])
    },
  )

  test('shrinks to within two levels of the mean under a triangle as wide as the reduction', async () => {
    const [width, height] = [97, 83]
    const samples = Array.from({ length: width * height * 3 }, (_, i) => {
      const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)]
      return Math.round(127 + 80 * Math.sin(x / 5 + (i % 3)) + 40 * Math.cos(y / 7))
    })
    /** The weighted mean over the whole picture, from its definition. */
    const expected = (channel: number, row: number, column: number) => {
      const [sx, sy] = [width / 30, height / 40]
      let [sum, weights] = [0, 0]
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const dx = Math.abs((x + 0.5) / sx - (column + 0.5))
          const dy = Math.abs((y + 0.5) / sy - (row + 0.5))
          const weight = Math.max(0, 1 - dx) * Math.max(0, 1 - dy)
          sum += weight * samples[(y * width + x) * 3 + channel]!
          weights += weight
        }
      }
      return sum / weights
    }
    const got = await planes('smaller', await pngOf(width, height, samples))
    const errors = got.flatMap((plane, c) =>
      plane.flatMap((row, y) => row.map((v, x) => Math.abs(v - expected(c, y, x)))),
    )
    expect(errors).toHaveLength(3 * 40 * 30)
    expect(errors.reduce((sum, error) => sum + error) / errors.length).toBeLessThan(1)
    expect(Math.max(...errors)).toBeLessThan(5)
  })

  test('keeps the aspect ratio if only the shorter side is given, rounding the longer one down', async () => {
    expect(shape(await planes('shorter', await pngOf(21, 16, samplesOf(21, 16))))).toEqual([3, 8, 10])
    expect(shape(await planes('shorter', await pngOf(16, 21, samplesOf(16, 21))))).toEqual([3, 10, 8])
    expect(shape(await planes('evaluated', await pngOf(320, 200, samplesOf(320, 200))))).toEqual([3, 64, 80])
  })

  test('keeps the aspect ratio if the model leaves one side open, else takes the model’s size', async () => {
    const shapesOf = async (width: number, height: number) => {
      const png = await pngOf(width, height, samplesOf(width, height))
      return Promise.all(['wide', 'high', 'square'].map(async (model) => shape(await planes(model, png))))
    }
    expect(await shapesOf(6, 4)).toEqual([
      [3, 6, 9],
      [3, 9, 14],
      [3, 9, 9],
    ])
    // never less than one pixel
    expect((await shapesOf(60, 2))[0]).toEqual([3, 1, 9])
  })

  test('crops from the centre, rounding halves to even like torchvision', async () => {
    for (const [width, height, left, top] of [
      // (5 − 2) / 2 = 1.5 → 2, (11 − 2) / 2 = 4.5 → 4
      [5, 11, 2, 4],
      [4, 3, 1, 0],
      [7, 4, 2, 1],
    ] as const) {
      const samples = samplesOf(width, height)
      const red = (x: number, y: number) => samples[(y * width + x) * 3]
      expect((await planes('cut', await pngOf(width, height, samples)))[0]).toEqual([
        [red(left, top), red(left + 1, top)],
        [red(left, top + 1), red(left + 1, top + 1)],
      ])
    }
  })

  test('refuses an image smaller than the crop', async () => {
    const { status, body } = await predict('cut', await pngOf(5, 1, samplesOf(5, 1)))
    expect([status, body.message]).toEqual([400, 'the image is 5 wide and 1 high; expected at least 2 wide and 2 high'])
  })
})

describe('files of many kinds', () => {
  test("colours become grey by their luma, like Pillow’s convert('L')", async () => {
    // the first sixteen pixels of (37 i, 91 i, 53 i) modulo 256, and Pillow 12's result for them
    const colours = Array.from({ length: 16 }, (_, i) => [(i * 37) % 256, (i * 91) % 256, (i * 53) % 256])
    const luma = [0, 71, 141, 61, 132, 173, 93, 87, 158, 78, 119, 190, 110, 181, 175, 66]
    for (let i = 0; i < 16; i += 4) {
      const png = await pngOf(2, 2, colours.slice(i, i + 4).flat())
      expect((await planes('grey', png)).flat(2)).toEqual(luma.slice(i, i + 4))
    }
    const webp = sharp({
      create: { width: 6, height: 5, channels: 4, background: { r: 200, g: 100, b: 50, alpha: 1 } },
    })
    expect((await planes('grey', await webp.webp({ lossless: true }).toBuffer())).flat(2)).toEqual([124, 124, 124, 124])
  })

  test('greys keep their values whatever the file’s profile, and become three equal channels', async () => {
    const greys = [0, 1, 100, 255]
    const png = await sharp(await pngOf(2, 2, greys))
      .toColourspace('b-w')
      .png()
      .toBuffer()
    for (const file of [png, withGreyProfile(png)]) expect((await planes('grey', file)).flat(2)).toEqual(greys)
    expect((await planes('bytes', png)).flat(2)).toEqual(greys.flatMap((grey) => [grey, grey, grey]))
  })

  test('alpha is dropped before resampling, however transparent a pixel is', async () => {
    const rgba = await pngOf(2, 1, [200, 100, 50, 0, 20, 10, 5, 255])
    expect((await planes('whole', rgba)).map((plane) => plane[0])).toEqual([
      [200, 20],
      [100, 10],
      [50, 5],
    ])
    // between the two: a mean weighted by alpha would be the second alone
    const wide = await planes('bilinear-larger', rgba)
    expect(wide[0]![0]!.slice(2, 4)).toEqual([140, 80])
  })

  test('a transparent pixel of a GIF takes its palette colour, as in Pillow', async () => {
    // red, green / blue, white, with green transparent
    const gif = Buffer.from(
      '47494638396102000200810000ff000000ff000000ffffffff21f90401000001002c000000000200020000080700010410302020003b',
      'hex',
    )
    expect((await planes('bytes', gif)).flat(2)).toEqual([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
  })

  test('16-bit samples become bytes, to within one level', async () => {
    const samples = [0x0102, 0x40ff, 0xfffe, 0x8000, 0x00ff, 0xff00]
    const rgb = (await planes('whole', tiffOf(2, 1, 2, 16, samples))).flat(1)
    const grey = (await planes('grey', tiffOf(2, 2, 1, 16, samples.slice(0, 4)))).flat(2)
    const got = [rgb[0]![0], rgb[1]![0], rgb[2]![0], rgb[0]![1], rgb[1]![1], rgb[2]![1]].concat(grey)
    for (const [i, sample] of [...samples, ...samples.slice(0, 4)].entries()) {
      expect(Math.abs(got[i]! - sample / 257)).toBeLessThanOrEqual(1)
    }
  })

  test('CMYK becomes RGB without a profile, as in Pillow', async () => {
    const inks = [
      [0, 0, 0, 0],
      [255, 0, 0, 0],
      [10, 200, 30, 100],
      [0, 0, 0, 255],
    ]
    const colours = inks.map(([c, m, y, k]) => [c, m, y].map((ink) => Math.round(((255 - ink!) * (255 - k!)) / 255)))
    const got = await planes('whole', tiffOf(4, 1, 5, 8, inks.flat()))
    for (const [x, colour] of colours.entries()) {
      for (const [c, value] of colour.entries()) expect(Math.abs(got[c]![0]![x]! - value)).toBeLessThanOrEqual(1)
    }
    const jpeg = await sharp(await fourPixels())
      .resize(32, 32, { kernel: 'nearest' })
      .toColourspace('cmyk')
      .jpeg()
      .toBuffer()
    expect((await sharp(jpeg).metadata()).space).toBe('cmyk')
    const [red, green] = await planes('whole', jpeg)
    expect(red![4]![4]! - green![4]![4]!).toBeGreaterThan(100)
  })

  test('only the first frame of an animation counts', async () => {
    const frame = (r: number, g: number) =>
      sharp({ create: { width: 2, height: 2, channels: 3, background: { r, g, b: 0 } } })
        .png()
        .toBuffer()
    const moving = sharp([await frame(255, 0), await frame(0, 255)], { join: { animated: true } })
    for (const file of [
      await moving.clone().gif().toBuffer(),
      await moving.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      expect((await sharp(file).metadata()).pages).toBe(2)
      expect((await planes('bytes', file)).flat(1)).toEqual(new Array(4).fill([255, 0, 0]))
    }
  })

  test('EXIF orientation applies only if the options say so', async () => {
    const [width, height] = [24, 16]
    const halves = Array.from({ length: width * height }, (_, i) =>
      i % width < 12 ? [255, 255, 255] : [0, 0, 0],
    ).flat()
    const turned = await sharp(await pngOf(width, height, halves))
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toBuffer()
    const asStored = await planes('whole', turned)
    expect([asStored[0]!.length, asStored[0]![0]!.length]).toEqual([16, 24])
    const upright = await planes('upright', turned)
    expect([upright[0]!.length, upright[0]![0]!.length]).toEqual([24, 16])
    // rotated clockwise, the left side is on top
    expect([upright[0]![0]![8]! > 200, upright[0]![23]![8]! < 50]).toEqual([true, true])
  })

  test('a TIFF file is always turned as it says, as in Pillow', async () => {
    const file = sharp(await pngOf(2, 1, [255, 0, 0, 0, 0, 255])).withMetadata({ orientation: 6 })
    const turned = await file.tiff({ compression: 'none' }).toBuffer()
    for (const adapter of ['whole', 'upright']) {
      expect(await planes(adapter, turned)).toEqual([
        [[255], [0]],
        [[0], [0]],
        [[0], [255]],
      ])
    }
  })
})

describe('options and models that do not suit each other are refused', () => {
  const input = { name: 'image', type: 'float32' as ElementType, shape: [-1, 3, 2, 2] }
  const create = (options: ImageOptions, ...inputs: Partial<typeof input>[]) =>
    createImageAdapter(
      {
        name: 'm',
        version: '1',
        labels: undefined,
        path: 'm.onnx',
        runsAlone: false,
        inputs: inputs.map((own) => ({ ...input, ...own })),
        outputs: [],
        batch: { kind: 'dynamic' },
      },
      { options, pixelsMax: 1000 },
    )
  test.each<[string, ImageOptions, Partial<typeof input>[], RegExp]>([
    ['two inputs', {}, [{}, { name: 'b' }], /one input that is an image, and it has 2 inputs/],
    ['texts', {}, [{ type: 'string' }], /and image is string/],
    ['two dimensions', {}, [{ shape: [-1, 2] }], /and image has the shape \[any, 2\]/],
    ['no channels to be seen', {}, [{ shape: [-1, -1, -1, -1] }], /set image\.layout/],
    ['a layout that the shape denies', { layout: 'nhwc' }, [{}], /with 1, 3 or 4 channels, and as nhwc image has 2/],
    ['one mean for three channels', { mean: [1] }, [{}], /image\.mean has 1 values and the model 3 channels/],
    ['a deviation of nothing', { std: [1, 0, 1] }, [{}], /image\.scale, mean and std make NaN of the byte 0/],
    [
      'too much for its type',
      { scale: 2 },
      [{ type: 'uint8' }],
      /make 256 of the byte 128, which image of uint8 cannot/,
    ],
    ['too much for half precision', { scale: 1000 }, [{ type: 'float16' }], /which image of float16 cannot hold/],
    ['a crop of another width', { crop: [2, 3] }, [{}], /image\.crop is 2 × 3, and the model takes 2 × 2/],
    ['a resize below the crop', { resize: 1 }, [{}], /image\.resize gives 1 wide and 1 high, which is smaller/],
    ['a resize less wide than the crop', { resize: [4, 1] }, [{}], /image\.resize gives 1 wide and 4 high/],
    ['a resize less high than the crop', { resize: [1, 4] }, [{}], /image\.resize gives 4 wide and 1 high/],
  ])('%s', (_, options, inputs, message) => {
    expect(() => create(options, ...inputs)).toThrow(message)
  })

  test.each([
    [{ resise: 3 }, 'image.resise', /the keys are resize, crop, interpolation/],
    [{ resize: 0 }, 'image.resize', /the shorter side, whose aspect is kept, or \[height, width\]/],
    [{ interpolation: 'nearest' }, 'image.interpolation', /one of bilinear, bicubic, lanczos/],
    [{ colours: 'hsv' }, 'image.colours', /rgb or bgr/],
    [{ std: [1, 0, 1] }, 'image.std[1]', /a number > 0/],
  ])('%j, when the config is read', (image, path, expected) => {
    const problem = { path: `candidateServer.models[0].${path}`, expected: expect.stringMatching(expected) }
    const model = { name: 'm', path: 'm.onnx', adapter: 'image', image }
    expect(() => testConfig({ models: [model] })).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining(problem)] }),
    )
  })

  test('by a server too, which then does not start', async () => {
    const start = async (model: Record<string, unknown>) => startTestServer({ models: [{ name: 'm', ...model }] })
    const digits = { path: demoModel('digits-student'), adapter: 'image' }
    await expect(start({ ...digits, image: { crop: 3 } })).rejects.toThrow('image.crop is 3 × 3')
    await expect(start({ ...digits, labels: ['0', '1'] })).rejects.toThrow(/2 labels and no output with 2 scores/)
    await expect(start({ ...digits, adapter: 'tensor', image: { scale: 1 } })).rejects.toThrow(/adapter: image beside/)
  })
})
