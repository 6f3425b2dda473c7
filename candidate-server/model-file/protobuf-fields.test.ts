import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileWindow } from './protobuf-fields.ts'

test('a text longer than what is read at once is whole, even where that divides a character', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-text-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const text = `${'-'.repeat(2 ** 20 - 1)}ö`
  const bytes = Buffer.from(text)
  writeFileSync(join(folder, 'text'), bytes)
  const fd = openSync(join(folder, 'text'), 'r')
  onTestFinished(() => closeSync(fd))
  expect(new FileWindow(fd, bytes.length).text(0, bytes.length) === text).toBe(true)
})
