import { describe, expect, test } from 'vitest'
import { parseShape } from '../option-values.ts'
import { makeRequests } from './made-requests.ts'

describe('made requests', () => {
  const image = { name: 'image', datatype: 'FP32', shape: [-1, 3, -1, -1] }

  test('have one row of the given shape, as many bytes as the header says, and differ from one another', () => {
    const requests = makeRequests(
      'm',
      [image, { name: 'ids', datatype: 'INT64', shape: [-1, 2] }],
      new Map([parseShape('image=1x3x4x5')]),
    )
    const [first, second] = requests.map(({ headers, body }) => {
      const split = Number(headers['inference-header-content-length'])
      return { head: JSON.parse(body!.toString('utf8', 0, split)), data: body!.subarray(split) }
    })
    expect(first!.head.inputs).toMatchObject([
      { name: 'image', shape: [1, 3, 4, 5], parameters: { binary_data_size: 240 } },
      { name: 'ids', datatype: 'INT64', shape: [1, 2], parameters: { binary_data_size: 16 } },
    ])
    expect(first!.data).toHaveLength(256)
    expect(first!.data.readBigInt64LE(240)).toBe(1n)
    expect(first!.data.readFloatLE(0)).toBeGreaterThanOrEqual(0)
    expect(first!.data.equals(second!.data)).toBe(false)
    expect(requests[0]!.path).toBe('/v2/models/m/infer')
  })

  test.each([
    [[image], [], '--shape image=1x3x128x128'],
    [
      [image, { ...image, name: 'mask', shape: [-1, -1] }, { ...image, name: 'ids', shape: [-1, -1] }],
      ['ids=1x7'],
      'such as --shape image=1x3x128x128 --shape mask=1x128, or',
    ],
    [[image], ['image=1x4x8x8'], "does not fit the model's [any, 3, any, any]"],
    [[image], ['picture=1x3x8x8'], 'no such input; it takes image'],
    [
      [{ name: 'text', datatype: 'BYTES', shape: [-1, 1] }],
      [],
      '--requests FILE, with lines such as {"path":"/v2/models/m/infer","body":{"inputs":[{"name":"text","datatype":"BYTES","shape":[1,1],"data":["a text"]}]}}',
    ],
    [
      [
        { name: 'text', datatype: 'BYTES', shape: [-1, 1] },
        { ...image, shape: [-1, 3, 224, 224] },
      ],
      [],
      '"data":["a text"]},{"name":"image","datatype":"FP32","shape":[1,3,224,224],"data":"…"}]}}',
    ],
    [[], ['x=1x2'], 'no such input; it takes none'],
    [
      [{ name: 'words', datatype: 'BYTES', shape: [-1, -1] }],
      [],
      'input words is BYTES, which cannot be made up: give',
    ],
  ])('say what they need: %j with %j', (inputs, given, expected) => {
    expect(() => makeRequests('m', inputs, new Map(given.map(parseShape)))).toThrow(expected)
  })

  test('are refused with a hint at texts if the server tokenizes', () => {
    const ids = { name: 'input_ids', datatype: 'INT64', shape: [-1, -1] }
    expect(() => makeRequests('m', [ids], new Map(), 'text')).toThrow(
      ': give --requests FILE, with lines such as {"path": "/predictions/m", "body": "a text"}, or say how large, such as --shape input_ids=1x128',
    )
  })

  test('need sizes above zero', () => {
    expect(() => parseShape('image=1x0')).toThrow('image=1x3x224x224')
    expect(() => parseShape('1x3')).toThrow('NAME=')
  })
})
