import { expect, test } from 'vitest'
import { decodeSection } from '../runtime/config/load-config.ts'
import { comparatorSchema } from './config.ts'

const problemsOf = (publicUrl: string) => {
  const roles = { viewer: { claim: 'groups', values: ['ml'] } }
  const oidc = { issuer: 'https://id.example.com/realms/ml', audience: 'understudy', clientId: 'd', publicUrl, roles }
  return decodeSection({ oidc, validations: [] }, 'comparator', comparatorSchema, {}).problems
}

test('the dashboard is at the root of its host, with or without a slash', () => {
  expect(problemsOf('https://understudy.example.com')).toEqual([])
  expect(problemsOf('http://localhost:7070/')).toEqual([])
  expect(problemsOf('https://example.com/understudy')).toEqual([
    {
      path: 'comparator.oidc.publicUrl',
      value: 'https://example.com/understudy',
      expected: 'a URL without a path, such as https://understudy.example.com',
    },
  ])
})
