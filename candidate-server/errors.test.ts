import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { serveErrors } from './errors.ts'

test('docs/ERRORS.md lists every code of the candidate server with its status', async () => {
  const [, section = ''] = (await readFile('docs/ERRORS.md', 'utf8')).split(/## The (?:candidate server|mirror)\n/)
  const documented = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  expect(Object.fromEntries(documented)).toEqual(serveErrors)
})
