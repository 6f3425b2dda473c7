import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findPlaces } from './places.ts'

describe("the demo's data", () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-places-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('keep their tokens from one start to the next, or get new ones if those are damaged', () => {
    const { tokens } = findPlaces(7070, folder, true)
    expect(findPlaces(7070, folder, false).tokens).toEqual(tokens)
    writeFileSync(join(folder, 'tokens.json'), '')
    const renewed = findPlaces(7070, folder, false).tokens
    expect(renewed).not.toEqual(tokens)
    expect(findPlaces(7070, folder, false).tokens).toEqual(renewed)
  })

  test('need a folder', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(() => findPlaces(7070, file, true)).toThrow(
      expect.objectContaining({
        message: `${file} cannot be used (EEXIST); expected a writable folder`,
        exitCode: 2,
      }),
    )
  })
})
