import { expect, test } from 'vitest'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { comparatorSchema } from '../config.ts'

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

test('needing more approvals than there are approver tokens is a problem', () => {
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

test('one more token is needed where the requester does not count as an approver', () => {
  const apart = { approvals: 1, requesterApproves: false }
  expect(problemsOf({ tokens: tokens('approver', 'admin') }, apart)).toEqual([])
  const roles = 'with the role approver or admin'
  expect(problemsOf({ tokens: tokens('approver') }, apart)).toEqual([
    {
      path: 'comparator.validations[0].requesterApproves',
      value: false,
      expected: `true, or one more of the tokens ${roles}, for the requester: there is 1`,
    },
  ])
  expect(problemsOf({ tokens: tokens('approver') }, { ...apart, approvals: 2 })).toMatchObject([
    {
      path: 'comparator.validations[0].approvals',
      expected: `as many tokens ${roles}, and one for the requester: there is 1`,
    },
  ])
})

test('an invalid number of approvals is reported once', () => {
  expect(problemsOf({ tokens: tokens('approver') }, { approvals: 1.5 })).toHaveLength(1)
})

test('approvers are not counted where the issuer may supply them', () => {
  const approvals = { approvals: 2 }
  expect(problemsOf({ oidc: oidc('approver') }, approvals)).toEqual([])
  expect(problemsOf({ oidc: oidc('admin') }, approvals)).toEqual([])
  expect(problemsOf({ oidc: oidc('viewer') }, approvals)).toHaveLength(1)
})

test('a validation without any approver is allowed', () => {
  expect(problemsOf({ tokens: tokens('viewer') }, {})).toEqual([])
})
