import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { candidateServerSchema } from '../candidate-server/config.ts'
import { comparatorSchema } from '../comparator/config.ts'
import { mirrorSchema } from '../mirror/config.ts'
import { decodeSection } from '../runtime/config/load-config.ts'

/** What a TypeBox schema is in memory. */
interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | Schema[]
  anyOf?: Schema[]
  default?: unknown
}

const page = readFileSync(join(import.meta.dirname, '../docs/CONFIG.md'), 'utf8')

/** Told once on the page, and the same in each of these places. */
const same: [RegExp, string][] = [
  [/^routes\[\]\.candidates\[\]\.tls\..*/, 'routes[].candidates[].tls'],
  [/^routes\[\]\.noiseFloor\.(?!validation|share)/, 'routes[].candidates[].'],
  [/^models\[\]\.session\.extra\./, ''],
  [/^oidc\.roles\.\w+\./, 'oidc.roles.ROLE.'],
  [/^(validations\[\]\.window\.coverageMinBySize)\.\w+$/, '$1.SIZE'],
  [/^validations\[\]\.output\.(?:(?:primary|candidate)\.)?/, ''],
]
const toldAs = (path: string) => same.reduce((told, [pattern, text]) => told.replace(pattern, text), path)

/** A default as YAML has it within a line. */
function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${inYaml(one)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Every key that holds something, and what the page is to say of its default. */
function keysOf(schema: Schema, path: string, isRequired: boolean): [path: string, wanted: string][] {
  const wanted = 'default' in schema ? `\`${inYaml(schema.default)}\`` : isRequired ? 'required' : '–'
  const own: [string, string][] = path === '' ? [] : [[path, wanted]]
  const within = (inner: Schema, at: string) => keysOf(inner, at, true).filter(([key]) => key !== at)
  if (schema.properties) {
    const { properties, required = [] } = schema
    const isOpen = path === 'models[].session.extra'
    const inner = Object.entries(properties).flatMap(([key, one]) =>
      keysOf(one, path === '' ? key : `${path}.${key}`, required.includes(key)),
    )
    return isOpen || inner.length === 0 ? [...own, ...inner] : inner
  }
  if (schema.items && !Array.isArray(schema.items)) return [...own, ...within(schema.items, `${path}[]`)]
  if (schema.anyOf) return [...own, ...schema.anyOf.flatMap((one) => within(one, path))]
  return own
}

const sections = { mirror: mirrorSchema, candidateServer: candidateServerSchema, comparator: comparatorSchema }

test('the config that README.md begins with is one', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const raw = parse(/```yaml\n(# understudy\.yaml\n[\s\S]*?)```/.exec(readme)![1]!)
  expect(Object.keys(raw)).toEqual(Object.keys(sections))
  const made = {
    UNDERSTUDY_INGEST_TOKEN: 'token',
    UNDERSTUDY_INGEST_SHA256: 'a'.repeat(64),
    UNDERSTUDY_APPROVER_SHA256: 'b'.repeat(64),
  }
  for (const [name, schema] of Object.entries(sections)) {
    expect(decodeSection(raw[name], name, schema, made).problems, name).toEqual([])
  }
})

test('the mappings that docs/CONFIG.md gives for known answers are ones', () => {
  const given = [...page.matchAll(/`(\{ kind: [^`]*\})`/g)].map(([, mapping]) => mapping!.replace('[…]', '[a, b]'))
  expect(given.length).toBeGreaterThan(5)
  for (const mapping of given) {
    const section = { validations: [{ name: 'v', output: parse(mapping), gate: [{ metric: 'samples', min: 1 }] }] }
    expect(decodeSection(section, 'comparator', comparatorSchema, {}).problems, mapping).toEqual([])
  }
})

describe.each(Object.entries(sections))('docs/CONFIG.md has of %s', (name, schema) => {
  const [, text] = page.split(`## \`${name}:\`\n`)
  const rows = [...text!.split('\n## ')[0]!.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(
    ([, key, wanted]): [string, string] => [key!, wanted!],
  )
  // the first of several that are told as one says whether it is required
  const keys = new Map(
    keysOf(schema as Schema, '', true)
      .map(([key, wanted]): [string, string] => [toldAs(key), wanted])
      .toReversed(),
  )

  test('every key with its default, and no other', () => {
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(keys))
    expect(rows.length).toBe(new Set(rows.map(([key]) => key)).size)
  })
})
