import { observation, scores, type TestComparator, tokens } from './comparator.ts'

/** Evidence over `seconds`, ten observations a second, of which the given share disagrees. */
export function evidence(
  validation: string,
  { seconds = 70, wrong = 0, until = Date.now(), version = '1', live = 'primary' as 'primary' | 'candidate' } = {},
) {
  return Array.from({ length: seconds * 10 }, (_, i) => {
    const at = until - seconds * 1000 + i * 100
    const disagrees = Math.floor(i * wrong) !== Math.floor((i + 1) * wrong)
    const candidate = scores(disagrees ? (i + 1) % 3 : i % 3)
    const one = observation({ validation, at, primary: scores(i % 3), candidate, live })
    one.candidate.version = version
    return one
  })
}

/** The calls of a promotion, as an approver by default. */
export function promoting(comparator: () => TestComparator) {
  const call = (method: string, path: string, body?: unknown, token = tokens.approver) =>
    comparator().call(method, path, { token, body })
  const gateOf = async (name: string) => (await call('GET', `/v1/validations/${name}/gate`)).body
  return {
    call,
    gateOf,
    stateOf: async (name: string) => (await call('GET', `/v1/validations/${name}`)).body,
    promote: async (name: string, more: object = {}, token = tokens.approver) => {
      const body = { gateId: (await gateOf(name)).id, comment: 'seen', ...more }
      return call('POST', `/v1/validations/${name}/promotion`, body, token)
    },
    act: (id: string, action: string, body: object = {}, token = tokens.approver) =>
      call('POST', `/v1/promotions/${id}/${action}`, body, token),
    auditOf: async (name: string) =>
      (await call('GET', '/v1/audit?limit=200')).body.entries.filter(
        ({ validation }: { validation: string }) => validation === name,
      ),
  }
}
