import { expect, test } from 'vitest'
import { loadCommand } from './load.ts'
import { tuneCommand } from './tune.ts'

test('every default shown in the help is a valid value with the same meaning', () => {
  const shown = [loadCommand(), tuneCommand()]
    .flatMap(({ options }) => options)
    .filter(({ defaultValue }) => defaultValue !== undefined)
  expect(shown.map(({ long }) => long)).toEqual(expect.arrayContaining(['--duration', '--headroom', '--window']))
  for (const { long, parseArg, defaultValue, defaultValueDescription } of shown) {
    const text = defaultValueDescription ?? JSON.stringify(defaultValue)
    expect([long, parseArg!(text, undefined as never)]).toEqual([long, defaultValue])
  }
})
