import type { TSchema } from 'typebox'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { stepsOf } from '../../vocabulary/mapping/pointer-steps.ts'
import { hidden, isSecretKey } from './hide-secrets.ts'
import type { ConfigProblem } from './problem.ts'

// the library's default is eight errors per value
Settings.Set({ maxErrors: 1000 })

type Json = Record<string, unknown>
type Union = Json & { anyOf: TSchema[] }
type SchemaError = ReturnType<typeof Value.Errors>[number]

/** Everything in `value` that `schema` does not allow; the expectations come from the schema's own descriptions. */
export function findProblems(schema: TSchema, value: unknown, path: string): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const unions = new Set<string>()
  for (const error of Value.Errors(schema, value)) {
    const union = unionOf(error)
    if (union === undefined) {
      problems.push(...problemsOfError(schema, value, path, error))
      continue
    }
    const pointer = instanceOfSchema(union, error.instancePath)
    if (!unions.has(pointer)) {
      const node = resolve(schema, union) as Union
      problems.push(...problemsOfUnion(node, resolve(value, pointer), path + dotted(pointer)))
    }
    unions.add(pointer)
  }
  // a value that breaks several rules of one schema node is one problem
  return [...new Map(problems.map((problem) => [`${problem.path}: ${problem.expected}`, problem])).values()]
}

/** The schema path of the outermost union that contains this error, if any. */
function unionOf(error: SchemaError): string | undefined {
  const at = error.schemaPath.indexOf('/anyOf')
  if (at >= 0) return error.schemaPath.slice(0, at)
  return error.keyword === 'anyOf' ? error.schemaPath : undefined
}

/** Each branch of a union fails in its own way; only the branch that the writer meant is worth reporting. */
function problemsOfUnion(node: Union, value: unknown, place: string): ConfigProblem[] {
  const kinds = node.anyOf.map((branch) => kindsOf(branch))
  if (kinds.every((ofBranch) => ofBranch.length > 0) && value !== null && typeof value === 'object') {
    const { kind } = value as Json
    const branch = node.anyOf[kinds.findIndex((ofBranch) => ofBranch.includes(kind))]
    if (branch) return findProblems(branch, Value.Default(branch, structuredClone(value)), place)
    return [{ path: `${place}.kind`, value: kind, expected: oneOf(kinds.flat()) }]
  }
  const objects = node.anyOf.filter((branch) => (branch as Json).type === 'object')
  if (objects.length === 1 && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return findProblems(objects[0]!, Value.Default(objects[0]!, structuredClone(value)), place)
  }
  const lists = node.anyOf.filter((branch) => (branch as Json).type === 'array')
  if (lists.length === 1 && Array.isArray(value)) {
    const problems = findProblems(lists[0]!, value, place)
    if (problems.length > 0) return problems
  }
  return [{ path: place, value, expected: expectation(node) }]
}

function problemsOfError(schema: TSchema, root: unknown, path: string, error: SchemaError): ConfigProblem[] {
  const place = path + dotted(error.instancePath)
  const value = resolve(root, error.instancePath)
  const node = resolve(schema, error.schemaPath) as Json
  const params = error.params as Json
  switch (error.keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((key) => ({
        path: join(place, key),
        value: undefined,
        expected: expectation((node.properties as Json)?.[key] as Json),
      }))
    case 'additionalProperties':
      return [] // each unknown key also has an error of its own, handled below
    case 'boolean': {
      const { properties } = resolve(schema, upOne(error.schemaPath)) as Json
      const keys = Object.keys((properties as Json) ?? {})
      return [
        {
          path: join(path + dotted(upOne(error.instancePath)), stepsOf(error.instancePath).at(-1)!),
          // a misspelt `secret:` holds a secret too
          value: keys.some(isSecretKey) ? hidden(value) : value,
          expected: `no such key here; the keys are ${keys.join(', ')}`,
        },
      ]
    }
    case '~refine':
      return [{ path: place, value, expected: error.message }]
    default:
      return [{ path: place, value, expected: node ? expectation(node) : error.message }]
  }
}

function expectation(node: Json | undefined): string {
  if (!node) return 'a value'
  if (Array.isArray(node.enum)) return oneOfThese(node.enum, node.description)
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (typeof node.description === 'string') return node.description
  if (node.type === 'null') return 'null'
  if (Array.isArray(node.anyOf)) return (node.anyOf as Json[]).map(expectation).join(', or ')
  const bounds = [
    node.minimum !== undefined && `≥ ${node.minimum}`,
    node.exclusiveMinimum !== undefined && `> ${node.exclusiveMinimum}`,
    node.maximum !== undefined && `≤ ${node.maximum}`,
    node.exclusiveMaximum !== undefined && `< ${node.exclusiveMaximum}`,
    node.minItems !== undefined && `with at least ${node.minItems} item${node.minItems === 1 ? '' : 's'}`,
    node.minLength !== undefined && 'that is not empty',
    node.properties && `with the keys ${Object.keys(node.properties).join(', ')}`,
  ].filter(Boolean)
  const article = /^[aeio]/.test(String(node.type)) ? 'an' : 'a'
  return `${article} ${node.type ?? 'value'} ${bounds.join(' and ')}`.trimEnd()
}

/** The allowed values and what they mean; many descriptions already list them. */
function oneOfThese(values: unknown[], description: unknown): string {
  if (typeof description !== 'string') return oneOf(values)
  const beginsWithThem = [String(values[0]), oneOf(values)].some((beginning) => description.startsWith(beginning))
  const isList = beginsWithThem && values.every((value) => description.includes(String(value)))
  return isList ? description : `${oneOf(values)}: ${description}`
}

const oneOf = (values: unknown[]) => `one of ${values.join(', ')}`

/** What `kind` may be in a branch of a union. */
function kindsOf(branch: TSchema): unknown[] {
  const kind = ((branch as Json).properties as Record<string, Json> | undefined)?.kind
  if (kind?.const !== undefined) return [kind.const]
  return Array.isArray(kind?.enum) ? kind.enum : []
}
const join = (path: string, key: string) => (path ? `${path}.${key}` : key)

const upOne = (pointer: string) => pointer.slice(0, pointer.lastIndexOf('/'))

/** `/routes/0/path` → `.routes[0].path` */
const dotted = (pointer: string) =>
  stepsOf(pointer)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')

function resolve(document: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document)
}

/** The instance path of a union: as many steps of `instancePath` as the schema path takes to reach it. */
function instanceOfSchema(schemaPath: string, instancePath: string): string {
  let depth = 0
  const steps = stepsOf(schemaPath)
  for (let i = 0; i < steps.length; i++) {
    if (steps[i] === 'properties' || steps[i] === 'patternProperties') {
      depth++
      i++
    } else if (steps[i] === 'items' || steps[i] === 'additionalProperties') depth++
  }
  return stepsOf(instancePath)
    .slice(0, depth)
    .map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
}
