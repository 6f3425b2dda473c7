import { expect, test } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { toClient } from '../forward/live-headers.ts'
import { field, fieldsOf } from '../http1/fields.ts'
import { droppedFromShadows, fieldEdits, shadowFields } from './shadow-headers.ts'

test('headers named like credentials are dropped', () => {
  const isDropped = droppedFromShadows([])
  const credentials = [
    ...[
      'authorization',
      'proxy-authorization',
      'x-authorisation',
      'cookie',
      'cookie2',
      'x-api-key',
      'apikey',
      'x-auth',
    ],
    ...['x-auth-request-email', 'x-access-token', 'x-amz-security-token', 'x-csrf-token', 'x-xsrf', 'x-session-id'],
    ...[
      'client-secret',
      'x-vault-password',
      'x-goog-iap-jwt-assertion',
      'x-credentials',
      'api_key',
      'www-authenticate',
    ],
  ]
  const vendors = [
    'ocp-apim-subscription-key',
    'x-functions-key',
    'accesskey',
    'x-appkey',
    'dpop',
    'x-amzn-oidc-data',
    'x-signature',
  ]
  const others = ['x-hub-signature-256', 'access_key', 'x-saml-assertion', 'signature-input', 'x-master-key']
  const words = [
    'ok-access-passphrase',
    'x-passcode',
    'x-bearer',
    'x-github-otp',
    'x_pin',
    'pwd',
    'x-sid',
    'x-api-sign',
  ]
  expect([...credentials, ...vendors, ...others, ...words].filter((name) => !isDropped(name))).toEqual([])
})

test('other headers cross, and so does a listed credential, but never framing', () => {
  const others = ['content-type', 'x-request-id', 'traceparent', 'x-author', 'x-authored-by', 'authority', 'host']
  const keys = ['idempotency-key', 'x-idempotency-key', 'surrogate-key', 'x-cache-key', 'x-partition-key', 'keyboard']
  const longer = ['x-pinned', 'x-design', 'x-bypass', 'x-signal', 'x-compass']
  expect([...others, ...keys, ...longer, 'x-keys', 'monkey'].filter(droppedFromShadows([]))).toEqual([])
  const isDropped = droppedFromShadows(['X-Max-Tokens', 'Connection'])
  expect(['x-max-tokens', 'x-token', 'connection', 'trailer'].filter(isDropped)).toEqual([
    'x-token',
    'connection',
    'trailer',
  ])
})

test('a header that a leg sets replaces all of that name, and one that it removes is gone', () => {
  const edit = fieldEdits({
    set: { 'X-Tenant': 'shadow', Authorization: 'Bearer ours' },
    remove: ['X-Debug', 'x-none'],
  })
  const fields = fieldsOf(['x-tenant', 'a', 'X-Tenant', 'b', 'x-debug', '1', 'content-type', 'text/plain'])
  const lines = ['content-type: text/plain', 'X-Tenant: shadow', 'Authorization: Bearer ours']
  expect(edit(fields).map(({ line }) => line)).toEqual(lines)
  expect(fieldEdits({ set: {}, remove: [] })(fields)).toBe(fields)
})

test('spellings that a server would read as a removed name are removed too', () => {
  const edit = fieldEdits({ set: { 'X-Tenant': 'shadow' }, remove: ['x-user'] })
  expect(edit(fieldsOf(['X_Tenant', 'a', 'x_user', 'b', 'x_other', 'c'])).map(({ line }) => line)).toEqual([
    'x_other: c',
    'X-Tenant: shadow',
  ])
  const sent = fieldsOf([
    'X_Understudy_Shadow',
    '0',
    'x-understudy_observation',
    'forged',
    'Content_Length',
    '1',
    'x_forwarded_for',
    '1',
  ])
  expect(shadowFields(sent, droppedFromShadows([]), 'id').map(({ line }) => line)).toEqual([
    'x-understudy-shadow: 1',
    'x-understudy-observation: id',
  ])
})

test('fields that a connection header lists are dropped on both legs, however many', () => {
  const connection = field('Connection', `x-named, ${'a,'.repeat(16_000)}`)
  const others = Array.from({ length: 100_000 }, () => field('x-other', ''))
  const fields = [connection, field('X-Named', '1'), ...others]
  const took = cpuMsOf(() => {
    expect(toClient(fields)).toEqual(others)
    expect(shadowFields(fields, droppedFromShadows([]), 'id').slice(0, -2)).toEqual(others)
  })
  expect(took).toBeLessThan(3000)
})
