import { expect, test } from 'vitest'
import { withoutSecrets } from './hide-secrets.ts'

const shown = (path: string, value: unknown) => withoutSecrets({ path, value, expected: '' }).value

test.each([
  ['comparator.webhooks[0].secret', 'hunter2'],
  ['comparator.webhooks[1].url', 'hooks.example.com/services/hunter2'],
  ['comparator.webhooks[0]', 'https://hooks.example.com/hunter2'],
  ['comparator.oidc.clientSecret', 'hunter2'],
  ['mirror.comparator.token', 'hunter2'],
  ['comparator.tokens[0].sha256', 'hunter2'],
  ['comparator.tokens[0]', 'hunter2'],
  ['comparator.database', 'postgress://ana:hunter2@db/x'],
  ['comparator.database', 'postgress://ana:p@ss/hunter2@db/x'],
  ['comparator.database', 'host=db password=hunter2'],
  ['comparator.database', 'ana:hunter2@db/x'],
  ['mirror.primary', 'http://hunter2@app'],
  ['mirror.primary', 'http://ana:two words hunter2@app'],
  ['mirror.primary.headers.set.Authorization', 'Bearer hunter2'],
  ['mirror.tls.key', '-----BEGIN PRIVATE KEY-----\nhunter2'],
  ['comparator', { webhooks: [{ url: 'https://a/hunter2', secret: 'hunter2' }], oidc: { clientSecret: 'hunter2' } }],
])('%s hides what is secret in %j', (path, value) => {
  expect(JSON.stringify(shown(path, value))).not.toContain('hunter2')
})

test.each([
  ['mirror.listen', 'here'],
  ['mirror.primary', 'http//app:80'],
  ['comparator.database', 'sqlite:./data'],
  ['comparator.tokens[0].role', 'aprover'],
  ['candidateServer.models[0].tokenizer', './nowhere'],
  ['mirror.routes', [{ path: 'p', share: 2, on: null }]],
])('%s shows %j', (path, value) => {
  expect(shown(path, value)).toEqual(value)
})

test('shows how long a hidden value is, and keeps the rest of a URL', () => {
  expect(shown('a.secret', 'short')).toBe('(hidden, 5 characters)')
  expect(shown('a.secret', 5)).toBe('(hidden)')
  expect(shown('a.secret', undefined)).toBeUndefined()
  expect(shown('a.url', 'postgress://ana:hunter2@db/x')).toBe('postgress://(hidden)@db/x')
})
