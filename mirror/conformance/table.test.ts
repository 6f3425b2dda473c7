import { describe } from 'vitest'
import { forwarders } from './case.ts'
import { connectionCases } from './cases/connections.ts'
import { requestCases } from './cases/requests.ts'
import { responseCases } from './cases/responses.ts'
import { runCase } from './run-case.ts'
import { table } from './table.ts'

describe.each(forwarders)('through %s', (forwarder) => {
  describe('a request passes:', () => table(forwarder, requestCases, runCase))
  describe('a response passes:', () => table(forwarder, responseCases, runCase))
  describe('a connection serves', () => table(forwarder, connectionCases, runCase))
})
