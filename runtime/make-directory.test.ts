import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDirectory } from './make-directory.ts'

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), 'understudy-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('directories above are made too, all for their owner, and one that is there stays', () => {
  const top = temporary()
  const path = join(top, 'a', 'b')
  makeDirectory(path, 0o700)
  makeDirectory(path, 0o700)
  expect([join(top, 'a'), path].map((of) => statSync(of).mode & 0o777)).toEqual([0o700, 0o700])
})

test('a file in the place of a directory is told', () => {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  expect(() => makeDirectory(file, 0o700)).toThrow('EEXIST')
  expect(() => makeDirectory(join(file, 'under'), 0o700)).toThrow('ENOTDIR')
})

test.runIf(process.platform === 'linux')('a place where nothing can be made is told, and not tried for ever', () => {
  expect(() => makeDirectory('/proc/understudy', 0o700)).toThrow("mkdir '/proc/understudy'")
})
