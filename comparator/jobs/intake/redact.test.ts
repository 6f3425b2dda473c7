import { describe, expect, test } from 'vitest'
import { redactBody } from './redact.ts'
import { redactPath } from './redact-fields.ts'

const redact = (body: string, pointers: string[], contentType?: string) =>
  redactBody(Buffer.from(body), contentType, pointers)?.toString() ?? null

describe('a JSON body', () => {
  test('loses the fields that pointers name, and nothing else', () => {
    const body = '{"user":{"name":"Ada","id":7},"name":"x"}'
    expect(redact(body, ['/user/name', '/nobody'])).toBe('{"user":{"name":"[redacted]","id":7},"name":"x"}')
    expect(redact(body, ['/user'])).toBe('{"user":"[redacted]","name":"x"}')
    expect(redact('{"a/b":{"~":1}}', ['/a~1b/~0'])).toBe('{"a/b":{"~":"[redacted]"}}')
  })

  test('keeps all digits of an integer beyond the precision of a double', () => {
    const body = '{"id":9007199254740993,"of":[9007199254740995,{"name":"Ada"}]}'
    const expected = '{"id":9007199254740993,"of":[9007199254740995,{"name":"[redacted]"}]}'
    expect(redact(body, ['/of/*/name', '/*/*/rawJSON', '/id/rawJSON'])).toBe(expected)
    expect(redact(body, ['/of', '/id'])).toBe('{"id":"[redacted]","of":"[redacted]"}')
  })

  test('loses the field in every item where a step is *', () => {
    const users = '{"users":[{"name":"Ada","id":1},{"name":"Ben"}],"by":{"x":{"name":"Cy"}}}'
    expect(redact(users, ['/users/*/name', '/*/x/name'])).toBe(
      '{"users":[{"name":"[redacted]","id":1},{"name":"[redacted]"}],"by":{"x":{"name":"[redacted]"}}}',
    )
    expect(redact('{"a":{"b":[1,{"c":2}]}}', ['/a/b/*'])).toBe('{"a":{"b":["[redacted]","[redacted]"]}}')
    expect(redact('[["Ada"],["Ben"]]', ['/*/0'])).toBe('[["[redacted]"],["[redacted]"]]')
  })

  test('is redacted whatever the field name, content type or byte order mark', () => {
    expect(redact('{"__proto__":"Ada"}', ['/__proto__'])).toBe('{"__proto__":"[redacted]"}')
    expect(redact('{"name":"Ada"}', ['/name'], 'application/octet-stream')).toBe('{"name":"[redacted]"}')
    expect(redact('{"name":"Ada"}', ['/name'], 'application/x-www-form-urlencoded')).toBe('{"name":"[redacted]"}')
    expect(redact('\uFEFF{"name":"Ada"}', ['/name'])).toBe('{"name":"[redacted]"}')
  })
})

test.each([
  ['name=Ada&age=36', 'name=[redacted]&age=36'],
  ['age=36&n%61me=Ada+L&name=B', 'age=36&n%61me=[redacted]&name=[redacted]'],
  ['name=Ada;age=36&x=1;name=Ada;y=2', 'name=[redacted]&x=1;name=[redacted]'],
  ['user[name]=Ada&user[id]=1&name[]=Ada', 'user[name]=[redacted]&user[id]=1&name[]=[redacted]'],
  ['user=%7B%22name%22%3A%22Ada%22%7D', 'user=[redacted]'],
  ['%zz=1&names=a&name&=Ada', '%zz=1&names=a&name&=Ada'],
])('the form %s loses the fields that pointers name', (body, expected) => {
  expect(redact(body, ['/name', '/user/name'], 'application/x-www-form-urlencoded; charset=utf-8')).toBe(expected)
})

test('a form that is not UTF-8 is not kept', () => {
  expect(redactBody(Buffer.from([0x6e, 0xff]), 'application/x-www-form-urlencoded', ['/name'])).toBeNull()
})

test.each([
  ['application/json', '{"name":"Ada"'],
  ['text/plain', 'name: Ada'],
  ['application/octet-stream', '\u0003\0\0\0Ada'],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--x--'],
  ['application/x-protobuf', '\n\u0003Ada'],
  ['image/svg+xml', '<svg><text>Ada</text></svg>'],
  [undefined, 'Ada'],
])('a body of the type %s that cannot be searched is not kept', (contentType, body) => {
  expect(redact(body, ['/name'], contentType)).toBeNull()
  expect(redact(body, [], contentType)).toBe(body)
})

test('an empty body, images, audio and video pass unchanged', () => {
  expect(redact('', ['/name'], 'application/json')).toBe('')
  for (const type of ['image/png', 'audio/wav', 'Video/mp4; codecs=x'])
    expect(redact('\u0089PNG', ['/*'], type)).toBe('\u0089PNG')
})

describe('a path', () => {
  test('loses query parameters that pointers name or that have the name of a credential', () => {
    const query = 'a=1&name=Ada&token=s&api_key=s&API-Key=s&X-Amz-Security-Token=s&client_secret=s&sig=s&b=2'
    expect(redactPath(`/price?${query}`, ['/name'])).toBe(
      '/price?a=1&name=[redacted]&token=[redacted]&api_key=[redacted]&API-Key=[redacted]&X-Amz-Security-Token=[redacted]&client_secret=[redacted]&sig=[redacted]&b=2',
    )
  })

  test('loses credentials even if nothing is configured', () => {
    expect(redactPath('/price?token=SECRET&name=Ada', [])).toBe('/price?token=[redacted]&name=Ada')
    expect(redactPath('/price?%74oken=SECRET?token=x', [])).toBe('/price?%74oken=[redacted]')
    expect(redactPath('/price?a=1;password=SECRET', [])).toBe('/price?a=1;password=[redacted]')
  })

  test('keeps everything else unchanged', () => {
    for (const path of [
      '/price',
      '/token=1',
      '/price?',
      '/price?max_tokens=5&tokenizer=b&monkey=1&keys=2&&x=%zz&+=%20',
    ])
      expect(redactPath(path, ['/name'])).toBe(path)
  })
})
