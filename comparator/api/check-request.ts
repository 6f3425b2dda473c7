import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { findProblems } from '../../runtime/config/find-problems.ts'
import { leaveOutNulls } from '../../vocabulary/json/leave-out-nulls.ts'
import { failure } from '../jobs/errors.ts'

const parts: Record<string, string> = { querystring: 'query', params: 'path', headers: 'headers' }

/** Limits that keep a refusal readable whatever the request holds. */
const problemsSaidMax = 20
const charsSaidMax = 100

/** Checks each part of a request by its schema, and reports all problems in the schema's own words. */
export const checkRequest: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const compiled = Compile(schema)
  const read = httpPart === 'body' ? leaveOutNulls : (given: unknown) => readTexts(schema, given)
  return (given: unknown) => {
    const value = Value.Default(schema, read(given))
    if (compiled.Check(value)) return { value }
    const part = parts[httpPart] ?? httpPart
    // one problem a field, however many rules it breaks
    const byPath = new Map(findProblems(schema, value, '').map((problem) => [problem.path, problem]))
    const problems = [...byPath.values()].slice(0, problemsSaidMax).map(({ path, value, expected }) => ({
      path: path.replace(/^\./, '').slice(0, charsSaidMax),
      value,
      expected: inPlace(part, expected),
    }))
    const details = problems.map(({ path, expected }) => ({ in: part, path, expected }))
    const said = problems.map(
      ({ path, value, expected }) => `${path || `the ${part}`}: expected ${expected}${found(part, value)}`,
    )
    // "at least", as the search for problems stops early where there are very many
    if (byPath.size > problems.length) said.push(`and at least ${byPath.size - problems.length} more`)
    return { error: failure('BAD_REQUEST', said.join('; '), details) }
  }
}

/** The expectation without its "left out: …" part, which is no help with a parameter that is there. */
function inPlace(part: string, expected: string): string {
  return expected
    .replace(/(^|; |: )left out: .*$/s, '')
    .replace(
      /^no such key here; the keys are (.*)$/s,
      (_, keys) => `no such ${part === 'body' ? 'member' : 'parameter'}; there are ${keys || 'none'}`,
    )
}

/** The value that was sent, except in bodies: they may hold what must not get into a log. */
function found(part: string, value: unknown): string {
  return part === 'body' || value === undefined ? '' : `, got ${JSON.stringify(value).slice(0, charsSaidMax)}`
}

/** Converts texts of queries and paths to their schema's types. A parameter given twice stays a list, so is refused. */
function readTexts({ properties = {} }: { properties?: Record<string, { type?: string }> }, given: unknown) {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
  return Object.fromEntries(entries.map(([key, text]) => [key, readText(properties[key]?.type, text)]))
}

function readText(type: string | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return type === 'integer' && /^\d{1,16}$/.test(text) ? Number(text) : text
}
