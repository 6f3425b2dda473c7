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

test('parent directories are created too, all for their owner, and existing ones stay', async () => {
  const top = temporary()
  const path = join(top, 'a', 'b')
  expect([await makeDirectory(path, 0o700), await makeDirectory(path, 0o700)]).toEqual([true, false])
  expect([join(top, 'a'), path].map((of) => statSync(of).mode & 0o777)).toEqual([0o700, 0o700])
})

test('a file in the place of a directory is reported', async () => {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  await expect(makeDirectory(file, 0o700)).rejects.toThrow('EEXIST')
  await expect(makeDirectory(join(file, 'under'), 0o700)).rejects.toThrow('ENOTDIR')
})

test.runIf(process.platform === 'linux')(
  'a place where nothing can be created is reported, and not retried for ever',
  async () => {
    await expect(makeDirectory('/proc/understudy', 0o700)).rejects.toThrow("mkdir '/proc/understudy'")
  },
)
