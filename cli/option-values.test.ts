import { expect, test } from 'vitest'
import { loadCommand } from './load.ts'
import { tuneCommand } from './tune.ts'

test('every default that the help shows is one that the option takes, and means the same', () => {
  const shown = [loadCommand(), tuneCommand()]
    .flatMap(({ options }) => options)
    .filter(({ defaultValue }) => defaultValue !== undefined)
  expect(shown.map(({ long }) => long)).toEqual(expect.arrayContaining(['--duration', '--headroom', '--window']))
  for (const { long, parseArg, defaultValue, defaultValueDescription } of shown) {
    const text = defaultValueDescription ?? JSON.stringify(defaultValue)
    expect([long, parseArg!(text, undefined as never)]).toEqual([long, defaultValue])
  }
})
