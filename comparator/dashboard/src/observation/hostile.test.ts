import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { textParts } from '../format/hidden-characters.ts'
import { binaryOf, bytesOf } from './binary.ts'
import { curlOf, headersLeftOut } from './curl.ts'
import { findPictures, pictureOfRow } from './find-pictures.ts'
import { hexRows } from './hex-rows.ts'
import { pictureSize } from './picture-size.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAEElEQVR42mNgYGBgGBgAAAAoAAFjYHnUAAAAAElFTkSuQmCC'

describe('a text of a client', () => {
  test('shows characters that would hide or reverse it', () => {
    expect(textParts('pay\u202e001\u202c now')).toEqual([
      'pay',
      { code: 'U+202E', count: 1 },
      '001',
      { code: 'U+202C', count: 1 },
      ' now',
    ])
    expect(textParts('a\u200b\u200b\u200bb')).toEqual(['a', { code: 'U+200B', count: 3 }, 'b'])
    expect(textParts('\ud800x\0')).toEqual([{ code: 'U+D800', count: 1 }, 'x', { code: 'U+0000', count: 1 }])
  })
  test('keeps its lines, except where there is only one line', () => {
    expect(textParts('a\n\tb')).toEqual(['a\n\tb'])
    expect(textParts('a\nb', true)).toEqual(['a', { code: 'U+000A', count: 1 }, 'b'])
  })
  test('keeps characters that join letters of a script or an emoji, not stray ones', () => {
    expect(textParts('می\u200cخواهم')).toEqual(['می\u200cخواهم'])
    expect(textParts('👩\u200d💻❤\ufe0f')).toEqual(['👩\u200d💻❤\ufe0f'])
    expect(textParts('ad\u200dmin')).toEqual(['ad', { code: 'U+200D', count: 1 }, 'min'])
  })
})

describe('pictures are found by their own bytes', () => {
  test('as the body, in JSON at any depth, as a data URL, in a form', () => {
    expect(findPictures({ body: png, bodyEncoding: 'base64' })).toMatchObject([
      { type: 'image/png', place: '', size: { width: 8, height: 8 } },
    ])
    const json = JSON.stringify({ instances: [{ a: 1, b64: png }, { url: `data:image/svg+xml;base64,${png}` }] })
    expect(findPictures({ body: json })).toMatchObject([
      { type: 'image/png', place: '/instances/0/b64' },
      { type: 'image/png', place: '/instances/1/url' },
    ])
    const form = `--B\r\ncontent-disposition: form-data; name=image\r\n\r\n${atob(png)}\r\n--B--\r\n`
    const found = findPictures({ body: btoa(form), bodyEncoding: 'base64' })
    expect(found.map(({ binary }) => btoa(binary))).toEqual([png])
  })
  test('and with as many pictures as rows, each belongs to its row', () => {
    const body = JSON.stringify(Array.from({ length: 9 }, () => png))
    expect(pictureOfRow({ body }, { index: 7, of: 9 })?.place).toBe('/7')
    for (const of of [4, 8, 10]) expect(pictureOfRow({ body }, { index: 3, of })).toBe(null)
    expect(pictureOfRow({ body }, undefined)?.place).toBe('/0')
    expect(findPictures({ body })).toHaveLength(4)
  })
  test('and nothing that can run is one', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    for (const body of [svg, JSON.stringify(`data:image/svg+xml;base64,${btoa(svg)}`), '{', '[null, 4]', '""']) {
      expect(findPictures({ body })).toEqual([])
    }
    expect(findPictures({ body: btoa(svg), bodyEncoding: 'base64' })).toEqual([])
    expect(findPictures({ body: '%', bodyEncoding: 'base64' })).toEqual([])
    expect(findPictures({})).toEqual([])
  })
  test('and a document of any depth is searched', () => {
    expect(findPictures({ body: `${'['.repeat(10_000)}${JSON.stringify(png)}${']'.repeat(10_000)}` })).toHaveLength(1)
  })
})

describe('a picture’s size is read from its header', () => {
  const size = (type: string, ...bytes: (string | number)[]) =>
    pictureSize(type, bytes.map((byte) => (typeof byte === 'number' ? String.fromCharCode(byte) : byte)).join(''))
  test('of each format', () => {
    expect(pictureSize('image/png', binaryOf(png)!)).toEqual({ width: 8, height: 8 })
    expect(size('image/gif', 'GIF89a', 0x40, 0x01, 0xf0, 0x00)).toEqual({ width: 320, height: 240 })
    const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 2, 0xff, 0xc2, 0, 17, 8, 0, 240, 1, 64]
    expect(size('image/jpeg', ...jpeg)).toEqual({ width: 320, height: 240 })
    const webp = ['RIFF', 0, 0, 0, 0, 'WEBPVP8X', 10, 0, 0, 0, 0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0]
    expect(size('image/webp', ...webp)).toEqual({ width: 320, height: 240 })
  })
  test('and is unknown if the file ends too soon', () => {
    for (const type of ['image/png', 'image/gif', 'image/jpeg', 'image/webp']) {
      expect(pictureSize(type, '\xff\xd8\xff')).toBeNull()
    }
  })
})

describe('a request as a command', () => {
  /** Runs it in a POSIX shell, with curl replaced by a function that prints its arguments. */
  const run = (command: string) =>
    execFileSync('/bin/sh', [
      '-c',
      `UPSTREAM=http://up; curl() { for each in "$@"; do printf '%s\\n' "[$each]"; done; case "$*" in *@-*) cat;; esac; }\n${command}`,
    ]).toString()
  const request = { method: 'POST', path: '/p?q=1', headers: { 'content-type': 'application/json' } }

  test('is quoted so that nothing in it is executed', () => {
    const body = `'; touch /tmp/never; echo $(id) \`id\` "\\`
    const out = run(curlOf({ ...request, method: 'PO;ST', path: "/a'$(id)[1]", body }))
    expect(out).toContain(`[${body}]`)
    expect(out).toContain("[http://up/a'$(id)[1]]")
    expect(out).toContain('[POST]')
  })
  test('stays with its upstream, whatever the path', () => {
    expect(run(curlOf({ ...request, path: '@evil.example/' }))).toContain('[http://up/@evil.example/]')
    expect(run(curlOf({ ...request, path: '/a b\n\u202e' }))).toContain('[http://up/a%20b%0A%E2%80%AE]')
  })
  test('sends bytes, and texts with characters that a terminal interprets, as base64', () => {
    expect(run(curlOf({ ...request, body: png, bodyEncoding: 'base64' }))).toContain('PNG')
    const out = run(curlOf({ ...request, body: 'a\u001b[2Jb\nUNDERSTUDY_BODY\nid' }))
    expect(out).toContain('a\u001b[2Jb\nUNDERSTUDY_BODY\nid')
    expect(curlOf({ ...request, body: 'a\u001b[2Jb' })).not.toContain('\u001b')
  })
  test('leaves out headers with line breaks, and says which', () => {
    const headers = { good: 'yes', 'x-bad': 'a\r\nHost: evil', '@file': 'x' }
    expect(run(curlOf({ ...request, headers }))).not.toContain('evil')
    expect(run(curlOf({ ...request, headers }))).toContain('[good: yes]')
    expect(headersLeftOut({ ...request, headers })).toEqual(['x-bad', '@file'])
  })
})

test('bytes are shown like in a hex editor', () => {
  expect(hexRows('\x00AB\xff<', 4)).toEqual([{ offset: '000000', hex: '00 41 42 ff', text: '.AB.' }])
  expect(hexRows('x'.repeat(40), 256).map(({ offset }) => offset)).toEqual(['000000', '000010', '000020'])
  expect([...bytesOf('\x00\xff')]).toEqual([0, 255])
})
