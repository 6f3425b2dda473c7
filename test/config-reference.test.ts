import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { candidateServerSchema } from '../candidate-server/config.ts'
import { readAnswer } from '../comparator/compare/read/read-answer.ts'
import { type ComparatorConfig, comparatorSchema } from '../comparator/config.ts'
import { mirrorSchema } from '../mirror/config.ts'
import { decodeSection } from '../runtime/config/load-config.ts'

/** A TypeBox schema as an object. */
interface Schema {
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | Schema[]
  anyOf?: Schema[]
  default?: unknown
}

const page = readFileSync(join(import.meta.dirname, '../docs/CONFIG.md'), 'utf8')

/** Described once on the page, and the same in all these places. */
const same: [RegExp, string][] = [
  [/^routes\[\]\.candidates\[\]\.tls\..*/, 'routes[].candidates[].tls'],
  [/^routes\[\]\.noiseFloor\.(?!validation|share)/, 'routes[].candidates[].'],
  [/^models\[\]\.session\.extra\./, ''],
  [/^oidc\.roles\.\w+\./, 'oidc.roles.ROLE.'],
  [/^(validations\[\]\.window\.coverageMinBySize)\.\w+$/, '$1.SIZE'],
  [/^validations\[\]\.output\.(?:(?:primary|candidate)\.)?/, ''],
]
const toldAs = (path: string) => same.reduce((told, [pattern, text]) => told.replace(pattern, text), path)

/** A default as inline YAML. */
function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${inYaml(one)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Every key with a value, and what the page must say about its default. */
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

test('the config at the beginning of README.md is valid', () => {
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

describe('the mappings that docs/CONFIG.md gives for common response formats', () => {
  const items = (label: string, score: string) => ({ predictions: [{ [label]: 'cat', [score]: 0.9 }] })
  const hours = { predictions: [Array.from({ length: 24 }, (_, hour) => hour)] }
  const boxes = { boxes: [[0, 0, 9, 9]], scores: [0.5], labels: ['cat'] }
  const tensor = { outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [2, 2], data: [0.1, 0.9, 0.8, 0.2] }] }
  const event = (document: object) => `data: ${JSON.stringify(document)}\n\n`
  const bodies: Record<string, unknown[]> = {
    '{ kind: classification, scores: /predictions, topK: 5 }': [items('label', 'score')],
    '{ kind: classification, scores: /predictions, topK: 5, item: { label: /class, score: /confidence } }': [
      items('class', 'confidence'),
    ],
    '{ kind: classification, scores: /predictions, scoreMin: 0.5 }': [
      items('label', 'score'),
      { predictions: [] },
      { predictions: ['cat', 'indoor'] },
      { predictions: { cat: true, dog: false } },
    ],
    '{ kind: classification, scores: /scores, classes: /labels }': [{ labels: ['cat', 'dog'], scores: [0.9, 0.1] }],
    '{ kind: classification, label: /label }': [{ label: 'cat', score: 0.9 }],
    '{ kind: regression, value: /score }': [{ label: 'cat', score: 0.9 }],
    '{ kind: classification, label: "/predictions/*" }': [{ predictions: ['cat', 'dog'] }, { predictions: [0, 1] }],
    '{ kind: classification, scores: "/predictions/*", scoreMin: 0.5 }': [{ predictions: [[0.9]] }],
    '{ kind: classification, scores: /predictions/probabilities, labels: […] }': [
      { predictions: { label: 0, probabilities: [0.9, 0.1] } },
    ],
    '{ kind: classification, scores: "/predictions/*", labels: […] }': [{ predictions: [[0.1, 0.9]] }],
    '{ kind: regression, value: "/predictions/*" }': [{ predictions: [[0.1, 0.9]] }, hours],
    '{ kind: regression, value: "/predictions/*/23" }': [hours],
    '{ kind: classification, protocol: oip, scores: "/probabilities/*" }': [tensor],
    '{ kind: detection, boxes: /boxes, scores: /scores, classes: /labels }': [boxes],
    '{ kind: text, protocol: stream, text: /choices/0/delta/content, whole: /choices/0/message/content }': [
      `${event({ choices: [{ index: 0, delta: { content: 'Hi' } }] })}data: [DONE]\n\n`,
      { choices: [{ index: 0, message: { content: 'Hi' } }] },
    ],
    '{ kind: text, protocol: stream, text: /response }': ['{"response":"Hi"}\n{"response":"!"}\n', { response: 'Hi!' }],
    '{ kind: text, protocol: stream, text: /delta/text, whole: /content/0/text }': [
      `event: content_block_delta\n${event({ type: 'content_block_delta', index: 1, delta: { text: 'Hi' } })}`,
      { content: [{ type: 'text', text: 'Hi' }] },
    ],
  }

  test('each have their bodies here', () => {
    expect([...new Set(page.match(/\{ kind: [^`]*\}(?=`)/g))]).toEqual(Object.keys(bodies))
  })

  test.each(Object.entries(bodies))('%s reads them', (mapping, answers) => {
    const output = parse(mapping.replace('[…]', '[a, b]'))
    const section = { validations: [{ name: 'v', output, gate: [{ metric: 'samples', min: 1 }] }] }
    const { value, problems } = decodeSection(section, 'comparator', comparatorSchema, {})
    expect(problems).toEqual([])
    const [validation] = (value as ComparatorConfig).validations
    for (const answer of answers) {
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer)
      const reading = readAnswer(validation!.output, 'primary', { kind: 'answered', status: 200, totalMs: 1, body })
      expect(reading).not.toMatchObject({ kind: 'problem' })
    }
  })
})

describe.each(Object.entries(sections))('docs/CONFIG.md lists for %s', (name, schema) => {
  const [, text] = page.split(`## \`${name}:\`\n`)
  const rows = [...text!.split('\n## ')[0]!.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(
    ([, key, wanted]): [string, string] => [key!, wanted!],
  )
  // the first of several keys described together says whether it is required
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
