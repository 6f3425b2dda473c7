import { expect, test } from 'vitest'
import { decodeSection } from '../runtime/config/load-config.ts'
import { comparatorSchema } from './config.ts'

const tokens = (...held: string[]) =>
  held.map((role, i) => ({ name: `${role}-${i}`, role, sha256: String(i).repeat(64) }))
const oidc = (role: string) => ({
  issuer: 'https://id.example.com',
  audience: 'understudy',
  roles: { [role]: { claim: 'groups', values: ['ml'] } },
})

function problemsOf(section: object, approval: object) {
  const output = { kind: 'classification', label: '/class' }
  const validation = { name: 'v', output, gate: [{ metric: 'agreement', min: 0.9 }], ...approval }
  return decodeSection({ ...section, validations: [validation] }, 'comparator', comparatorSchema, {}).problems
}

test('more approvals than tokens may give are a problem', () => {
  const held = tokens('ingest', 'viewer', 'operator', 'approver', 'admin')
  expect(problemsOf({ tokens: held }, { approvals: 2 })).toEqual([])
  expect(problemsOf({ tokens: held }, { approvals: 3 })).toEqual([
    {
      path: 'comparator.validations[0].approvals',
      value: 3,
      expected: 'as many tokens with the role approver or admin: there are 2',
    },
  ])
})

test('where the requester does not count there is one more', () => {
  const apart = { approvals: 1, requesterApproves: false }
  expect(problemsOf({ tokens: tokens('approver', 'admin') }, apart)).toEqual([])
  const roles = 'with the role approver or admin'
  expect(problemsOf({ tokens: tokens('approver') }, apart)).toEqual([
    {
      path: 'comparator.validations[0].requesterApproves',
      value: false,
      expected: `true, or one more of the tokens ${roles}, for who asks: there is 1`,
    },
  ])
  expect(problemsOf({ tokens: tokens('approver') }, { ...apart, approvals: 2 })).toMatchObject([
    {
      path: 'comparator.validations[0].approvals',
      expected: `as many tokens ${roles}, and one for who asks: there is 1`,
    },
  ])
})

test('a number that is none of approvals is a problem once', () => {
  expect(problemsOf({ tokens: tokens('approver') }, { approvals: 1.5 })).toHaveLength(1)
})

test('who may come from an issuer cannot be counted, unless none of its roles approves', () => {
  const approvals = { approvals: 2 }
  expect(problemsOf({ oidc: oidc('approver') }, approvals)).toEqual([])
  expect(problemsOf({ oidc: oidc('admin') }, approvals)).toEqual([])
  expect(problemsOf({ oidc: oidc('viewer') }, approvals)).toHaveLength(1)
})

test('a validation that nobody may promote can be watched', () => {
  expect(problemsOf({ tokens: tokens('viewer') }, {})).toEqual([])
})
