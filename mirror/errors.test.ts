import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failureResponse } from './forward/failure-response.ts'
import { refusalCode, refusalStatuses } from './wire/refusal.ts'

test('docs/ERRORS.md has exactly the codes that clients get from the mirror, with their statuses', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/ERRORS.md'), 'utf8')
  const [, section = ''] = page.split('## The mirror\n')
  const documented = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  const failures = (['refused', 'timedOut'] as const).map(failureResponse)
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries([
      ...failures.map(({ status, body }) => [JSON.parse(String(body)).code, status]),
      ...refusalStatuses.map((status) => [refusalCode(status), status]),
    ]),
  )
})
