import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { formatProblem } from '../../runtime/config/problem.ts'
import { comparatorSchema } from '../config.ts'

test('config problems are reported without secrets', () => {
  const secret = 'hunter2'
  const env = { SECRET: secret }
  const webhook = 'https://hooks.example.com/services/hunter2'
  const { problems } = decodeSection(
    {
      database: 'postgress://ana:hunter2@db/understudy',
      tokens: [{ name: 'ana', role: 'viewer', sha256: secret }, { name: 'ben', role: 'viewer', token: secret }, secret],
      oidc: { issuer: 'https://id.example.com', audience: 'a', clientSecret: secret, clientSecrets: secret, roles: {} },
      webhooks: [{ url: webhook, secret: '${SECRET}' }, { url: webhook, secrt: secret }, secret],
      validations: [],
    },
    'comparator',
    comparatorSchema,
    env,
  )
  const paths = problems.map(({ path }) => path.replace('comparator.', ''))
  expect(paths).toEqual(
    expect.arrayContaining([
      'database',
      'tokens[0].sha256',
      'tokens[1].token',
      'tokens[2]',
      'oidc.clientSecrets',
      'oidc.clientId',
      'webhooks[0].secret',
      'webhooks[1].url',
      'webhooks[1].secrt',
      'webhooks[2]',
    ]),
  )
  expect(JSON.stringify(problems)).not.toContain(secret)
  expect(problems.map(formatProblem).join('\n')).toContain(
    'webhooks[0].secret: "(hidden, 7 characters)"; expected the key of the signature, at least 16 characters',
  )
})
