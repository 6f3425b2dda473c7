import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCatalogue } from './errors.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/ERRORS.md'), 'utf8')
// the candidate server's codes have a table and a test of their own
const [ours = ''] = page.split('## The candidate server')
const documented = [...ours.matchAll(/^\| `([A-Z_]+)` \|(?: (\d+) \|)?/gm)].map(([, code, status]) => ({
  code,
  status,
}))

test('docs/ERRORS.md lists the codes of the catalogue with their status, and no others', () => {
  const catalogue = Object.entries(errorCatalogue).map(([code, { status }]) => ({ code, status: String(status) }))
  expect(documented.filter(({ status }) => status !== undefined)).toEqual(catalogue)
})

test('docs/ERRORS.md lists every rejection code of the intake, and no others', () => {
  const intake = join(import.meta.dirname, 'intake')
  const sources = readdirSync(intake).filter((file) => file.startsWith('accept-') || file.startsWith('parse-'))
  const text = sources.map((file) => readFileSync(join(intake, file), 'utf8')).join('\n')
  const known = new Set([...text.matchAll(/(?:refuse\(|code: )'([A-Z_]+)'/g)].map(([, code]) => code))
  const rejections = documented.filter(({ status }) => status === undefined).map(({ code }) => code)
  expect(new Set(rejections)).toEqual(known)
})
