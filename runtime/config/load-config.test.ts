import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { closed, Duration, Listen, Name, Size } from './fields.ts'
import { checkFile, decodeSection, loadSection } from './load-config.ts'
import { ConfigError } from './problem.ts'
import { objectsIn, repeated, withSemantics } from './semantics.ts'

const directories: string[] = []
const temporary = () => {
  directories.push(mkdtempSync(join(tmpdir(), 'understudy-')))
  return directories.at(-1)!
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const schema = Type.Object(
  {
    listen: Listen({ default: '127.0.0.1:80' }),
    timeout: Duration({ default: '30s' }),
    limits: Type.Object({ bodyMax: Size({ default: '1MiB' }) }, { ...closed, default: {} }),
    version: Type.Optional(Type.String()),
    models: Type.Array(Type.Object({ name: Name('a model'), output: OutputMapping }, closed), { default: [] }),
  },
  closed,
)

const problemsOf = (raw: unknown, env = {}) =>
  decodeSection(raw, 'mirror', schema, env).problems.map(({ path, expected }) => `${path}: ${expected}`)

describe('a config section', () => {
  test('gets its defaults, and units become numbers', () => {
    const { value } = decodeSection({ timeout: '90s', version: 3 }, 'mirror', schema, {})
    expect(value).toMatchObject({
      listen: { host: '127.0.0.1', port: 80 },
      timeout: 90_000,
      limits: { bodyMax: 1024 ** 2 },
      version: '3',
    })
    expect(Object.isFrozen(value)).toBe(true)
  })

  test('reports every problem at once, each with its path and what was expected', () => {
    expect(
      problemsOf({
        listen: 'here',
        timeout: '10 parsecs',
        limits: { bodyMax: 5, bodiesMax: '1MiB' },
        models: [
          { name: 'a b', output: { kind: 'regression', value: 'prediction' } },
          { output: { kind: 'horoscope' } },
          { name: 'c', output: { kind: 'classification' } },
        ],
      }).sort(),
    ).toEqual([
      'mirror.limits.bodiesMax: no such key here; the keys are bodyMax',
      'mirror.limits.bodyMax: a size such as 1MiB, 512KiB or 1GiB',
      'mirror.listen: an address to listen on, HOST:PORT, such as 127.0.0.1:8080',
      'mirror.models[0].name: a model: letters, digits, dot, dash or underscore, 100 at most',
      'mirror.models[0].output.value: an RFC 6901 pointer to a number or an array of numbers, such as /predictions/0, or /predictions/* for all of several rows',
      'mirror.models[1].name: a model: letters, digits, dot, dash or underscore, 100 at most',
      'mirror.models[1].output.kind: one of regression, classification, embedding, detection, text, json',
      'mirror.models[2].output: a scores: and/or a label: pointer for both sides',
      'mirror.timeout: a duration such as 30d, 10m, 10s or 2ms',
    ])
  })

  test('names the keys of an object where something else stands in its place, or nothing', () => {
    expect(problemsOf({ limits: 5, models: [{ name: 'm' }] })).toEqual([
      'mirror.limits: an object with the keys bodyMax',
      expect.stringMatching(/^mirror\.models\[0\]\.output: where the model's answer stands .*\{ kind: /),
    ])
  })

  test('lists the allowed values once, even if their description names some or all of them', () => {
    const output = { kind: 'detection', boxes: '/b', format: 'xyz' }
    expect(problemsOf({ models: [{ name: 'm', output }] })).toEqual([
      expect.stringMatching(
        /^mirror\.models\[0\]\.output\.format: one of xyxy, xywh, cxcywh: what a box's four numbers/,
      ),
    ])
    const mode = Type.Enum(['slow', 'fast', 'off'], { description: 'slow, where fast is too much' })
    const { problems } = decodeSection({ mode: 'x' }, 'mirror', Type.Object({ mode }, closed), {})
    expect(problems[0]!.expected).toBe('one of slow, fast, off: slow, where fast is too much')
    const pace = Type.Enum(['slow', 'fast'], { description: 'one of slow, fast; slow where left out' })
    const { problems: listed } = decodeSection({ pace: 'x' }, 'mirror', Type.Object({ pace }, closed), {})
    expect(listed[0]!.expected).toBe('one of slow, fast; slow where left out')
  })

  test('reports a value once, however much of the schema it breaks, and gives ranges in words', () => {
    const ranged = Type.Object({
      samples: Type.Integer({ minimum: 1 }),
      coverage: Type.Number({ minimum: 0, maximum: 1 }),
      confidence: Type.Number({ exclusiveMinimum: 0.5, exclusiveMaximum: 1 }),
      steps: Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), { minItems: 1 }),
    })
    const { problems } = decodeSection({ samples: 0.5, coverage: 95, confidence: 95, steps: [] }, 'x', ranged, {})
    expect(problems.map(({ path, expected }) => `${path}: ${expected}`)).toEqual([
      'x.samples: an integer ≥ 1',
      'x.coverage: a number ≥ 0 and ≤ 1',
      'x.confidence: a number > 0.5 and < 1',
      'x.steps: an array with at least 1 item',
    ])
  })

  test('does not accept a section with more errors than the library reports', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`x${i}`, i]))
    expect(problemsOf(unknown)).toContain(
      'mirror.x0: no such key here; the keys are listen, timeout, limits, version, models',
    )
  })

  test('shows an object in place of a list as it was written', () => {
    const { problems } = decodeSection({ models: { name: 'a' } }, 'mirror', schema, {})
    expect(problems).toMatchObject([{ path: 'mirror.models', value: { name: 'a' } }])
  })

  test('reads the environment, with defaults, and names a variable that is missing', () => {
    const { value } = decodeSection({ version: `${'${V'}}`, timeout: `${'${T:-5s'}}` }, 'mirror', schema, { V: '7' })
    expect(value).toMatchObject({ version: '7', timeout: 5000 })
    expect(problemsOf({ version: `${'${V'}}` })).toEqual(['mirror.version: the environment variable V to be set'])
  })
})

describe('references to the environment', () => {
  const file = join(temporary(), 'config.yaml')
  const load = (text: string, env: Record<string, string>) => {
    writeFileSync(file, text)
    return checkFile(file, { mirror: schema }, env).problems.map(({ path, expected }) => `${path}: ${expected}`)
  }

  test('need no quotes, not even inside braces', () => {
    const text = 'mirror: { timeout: ${T}, limits: { bodyMax: ${SIZE:-2MiB} }, listen: 127.0.0.1:${PORT} }'
    expect(load(text, { T: '5s', PORT: '8080' })).toEqual([])
  })

  test('yield text, never YAML', () => {
    expect(load('mirror: { version: ${V} }', { V: 'a, timeout: 1s }' })).toEqual([])
  })

  test('that are not set are reported once', () => {
    expect(load('mirror: { timeout: ${T} }', {})).toEqual(['mirror.timeout: the environment variable T to be set'])
  })
})

describe('what a schema cannot say', () => {
  test('is reported together with what it says', () => {
    const checked = withSemantics(Type.Object({ ...schema.properties }, closed), (value, path) =>
      repeated(objectsIn((value as any).models, `${path}.models`), 'name', 'another name'),
    )
    const output = { kind: 'regression', value: '/y' }
    const raw = { timeout: 'soon', models: [{ name: 'a', output }, 3, { name: 'a', output }] }
    const paths = decodeSection(raw, 'mirror', checked, {}).problems.map(({ path }) => path)
    expect(paths.sort()).toEqual(['mirror.models[1]', 'mirror.models[2].name', 'mirror.timeout'])
  })
})

describe('a config file', () => {
  const fileWith = (text: string) => {
    const file = join(temporary(), 'config.yaml')
    writeFileSync(file, text)
    return file
  }

  test('may leave a version without quotes, and loses none of its digits', () => {
    const version = (text: string) => loadSection(fileWith(`mirror: { version: ${text} }`), 'mirror', schema).version
    const texts = ['3.10', '1.0', '007', '20261125195122000001', '"2.0"', '3']
    expect(texts.map(version)).toEqual(['3.10', '1.0', '007', '20261125195122000001', '2.0', '3'])
  })

  test('takes a single number where a list of texts belongs as its only item, with all digits', () => {
    const texts = Type.Object({ labels: Type.Array(Type.String()) })
    expect(loadSection(fileWith('mirror: { labels: 3.10 }'), 'mirror', texts)).toEqual({ labels: ['3.10'] })
  })

  test('that is not YAML says where', () => {
    const { problems } = checkFile(fileWith('mirror: {\n  a: ['), { mirror: schema }, {})
    expect(problems).toHaveLength(1)
    expect(problems[0]!.path).toMatch(/^line \d+, column \d+$/)
    expect(checkFile(fileWith('mirror:\n  a: 1\n  a: 2'), { mirror: schema }, {}).problems).toEqual([
      { path: 'line 3, column 3', value: 'DUPLICATE_KEY', expected: 'valid YAML (Map keys must be unique)' },
    ])
  })

  test('with an undefined alias is invalid YAML, and the alias, maybe a password, is not shown', () => {
    const { problems } = checkFile(fileWith('mirror: { token: *hunter2 }'), { mirror: schema }, {})
    expect(problems).toMatchObject([{ value: 'UNRESOLVED_ALIAS' }])
    expect(JSON.stringify(problems)).not.toContain('hunter2')
  })

  test('takes what several entries share from an anchor, by merge keys', () => {
    const text = [
      'mirror:',
      '  models:',
      '    - &first { name: a, output: { kind: text, text: /a } }',
      '    - { <<: *first, name: b }',
      '    - { <<: *first, nam: c }',
    ].join('\n')
    const { problems } = checkFile(fileWith(text), { mirror: schema }, {})
    expect(problems.map(({ path }) => path)).toEqual(['mirror.models[2].nam'])
  })

  test('with an alias inside its own anchor is invalid YAML', () => {
    const { problems } = checkFile(fileWith('mirror: &all { limits: *all }'), { mirror: schema }, {})
    expect(problems).toMatchObject([{ path: '', value: 'UNRESOLVED_ALIAS' }])
  })

  test('that is empty says so', () => {
    const { problems } = checkFile(fileWith('# mirror:'), { mirror: schema }, {})
    expect(problems).toMatchObject([{ path: '', value: 'nothing' }])
  })

  test('that is missing, or lacks the section, is one clear error', () => {
    expect(() => loadSection('/nowhere.yaml', 'mirror', schema, {})).toThrow(ConfigError)
    expect(() => loadSection(fileWith('comparator: {}'), 'mirror', schema, {})).toThrow(
      /mirror: missing; expected a section/,
    )
  })

  test('with an unknown section is told which sections exist', () => {
    expect(checkFile(fileWith('mirrors: {}'), { mirror: schema }, {}).problems).toEqual([
      { path: 'mirrors', value: {}, expected: 'one of the sections mirror' },
    ])
  })
})
