import { Type } from 'typebox'
import { ErrorBody } from '../../../vocabulary/problem.ts'
import { named } from '../../../vocabulary/schema.ts'
import { type ErrorCode, errorCatalogue } from '../../jobs/errors.ts'

const codes = Object.keys(errorCatalogue) as ErrorCode[]

/** One shape for every error of every call, so that a generated client has one type. */
export const PublishedError = named('ErrorBody', 'What every error is.', {
  ...ErrorBody.properties,
  code: Type.Enum(codes, { description: 'stable; docs/ERRORS.md says what each means' }),
  details: Type.Unknown({
    description:
      'further details for programs: for `BAD_REQUEST` each problem with `in` (query, path, headers or ' +
      'body), `path` and `expected`; null if there are none',
  }),
})

/** An error answer that all operations with the same codes of one status share in the document. */
interface ErrorAnswer {
  status: number
  name: string
  description: string
}

/** The answers for these codes: one a status, whose description says what each of its codes means. */
export function errorAnswers(codes: ErrorCode[]): ErrorAnswer[] {
  const byStatus = Map.groupBy(codes, (code) => errorCatalogue[code].status)
  return [...byStatus].map(([status, codes]) => ({
    status,
    name: codes.map(inPascalCase).join('Or'),
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join('\n\n'),
  }))
}

function inPascalCase(code: string): string {
  return code
    .split('_')
    .map((word) => word[0]! + word.slice(1).toLowerCase())
    .join('')
}
