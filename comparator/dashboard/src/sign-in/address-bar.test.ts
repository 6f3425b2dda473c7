import { expect, test } from 'vitest'
import { broughtBy } from './address-bar.ts'

test('an address may contain a token, or the outcome of a failed sign-in, and is a page otherwise', () => {
  expect(broughtBy('#token=abc%3D')).toEqual({ kind: 'token', token: 'abc=' })
  expect(broughtBy('#signIn=denied')).toEqual({ kind: 'problem', problem: 'denied' })
  expect(broughtBy('#signIn=<b>hello</b>')).toEqual({ kind: 'problem', problem: 'refused' })
  for (const page of ['', '#/', '#/validations/a?token=b', '#token=']) expect(broughtBy(page)).toBeNull()
})
