import { readFileSync } from 'node:fs'
import type { StaticDecode, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parseDocument, visit } from 'yaml'
import { findProblems } from './find-problems.ts'
import { withoutSecrets } from './hide-secrets.ts'
import { interpolate, maskReferences } from './interpolate.ts'
import { ConfigError, type ConfigProblem } from './problem.ts'
import { semanticProblems } from './semantics.ts'

type Environment = Record<string, string | undefined>

/**
 * Reads one section of a YAML file: read → validate → freeze. Throws a `ConfigError` with every problem of the
 * section, each with its path, the value and what was expected.
 */
export function loadSection<Schema extends TSchema>(
  file: string,
  section: string,
  schema: Schema,
  env: Environment = process.env,
): StaticDecode<Schema> {
  const { sections, spelled } = readDocument(file)
  if (sections[section] === undefined) {
    throw new ConfigError(file, [{ path: section, value: undefined, expected: `a section ${section}:` }])
  }
  const { value, problems } = decodeSection(sections[section], section, schema, env, spelled[section])
  if (problems.length > 0) throw new ConfigError(file, problems)
  return value as StaticDecode<Schema>
}

/**
 * All problems of a whole file. `schemas`: the sections that it may hold; `problemsBetween` checks sections against
 * each other.
 */
export function checkFile(
  file: string,
  schemas: Record<string, TSchema>,
  env: Environment,
  problemsBetween: (sections: Record<string, unknown>) => ConfigProblem[] = () => [],
): { sections: string[]; problems: ConfigProblem[] } {
  let document: ConfigDocument
  try {
    document = readDocument(file)
  } catch (error) {
    if (error instanceof ConfigError) return { sections: [], problems: error.problems }
    throw error
  }
  const problems: ConfigProblem[] = []
  const written: Record<string, unknown> = {}
  for (const [section, value] of Object.entries(document.sections)) {
    const schema = schemas[section]
    if (schema) {
      const decoded = decodeSection(value, section, schema, env, document.spelled[section])
      problems.push(...decoded.problems)
      written[section] = decoded.written
    } else {
      const expected = `one of the sections ${Object.keys(schemas).join(', ')}`
      problems.push(withoutSecrets({ path: section, value, expected }))
    }
  }
  const found = new Set(problems.map(({ path }) => path))
  problems.push(...problemsBetween(written).filter(({ path }) => !found.has(path)))
  return { sections: Object.keys(document.sections), problems }
}

/**
 * For tests and programs: reads no file and does not exit. `value` is meaningful only if `problems` is empty. `written`
 * is the section with environment values and defaults, valid or not. `spelled` is `raw` with numbers as text, as they
 * were written, for settings that are text: a version 3.10 is not 3.1.
 */
export function decodeSection(raw: unknown, section: string, schema: TSchema, env: Environment, spelled = raw) {
  const unset: ConfigProblem[] = []
  const document = interpolate(raw, env, section, unset)
  const written = Value.Default(schema, document)
  const value = keepNumbers(written, Value.Convert(schema, structuredClone(written)), spelled)
  const found = [...findProblems(schema, value, section), ...semanticProblems(schema, value, section)]
  const problems = [...unset, ...found.map(withoutSecrets)]
    // a value that depends on an unset variable can't be judged
    .filter((problem, i) => i < unset.length || !unset.some(({ path }) => path === problem.path))
  return { value: problems.length === 0 ? deepFreeze(Value.Decode(schema, value)) : undefined, problems, written }
}

/** Keeps numbers from being converted: only text, which is all that a variable can give, is converted. */
function keepNumbers(written: unknown, converted: unknown, spelled: unknown): unknown {
  if (isNumeric(written)) {
    if (isNumeric(converted)) return written
    // a single value where a list belongs is its only item
    if (Array.isArray(converted)) return converted.map((item) => keepNumbers(written, item, spelled))
    return typeof converted === 'string' && typeof spelled === 'string' ? spelled : converted
  }
  if (written === null || typeof written !== 'object') return converted
  // an object where a list belongs is reported as it was written
  if (Array.isArray(written) !== Array.isArray(converted)) return written
  const kept = (item: unknown, key: string | number) => keepNumbers(item, child(converted, key), child(spelled, key))
  if (Array.isArray(written)) return written.map(kept)
  return Object.fromEntries(Object.entries(written).map(([key, item]) => [key, kept(item, key)]))
}

const child = (node: unknown, key: string | number) => (node as Record<string | number, unknown> | undefined)?.[key]
const isNumeric = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'

interface ConfigDocument {
  sections: Record<string, unknown>
  /** The same, with numbers as text, as they were written. */
  spelled: Record<string, unknown>
}

function readDocument(file: string): ConfigDocument {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(file, [
      { path: '', value: (error as NodeJS.ErrnoException).code, expected: 'a readable file' },
    ])
  }
  const { masked, restore } = maskReferences(text)
  const yaml = parseDocument(masked, { prettyErrors: true, merge: true })
  // one mistake makes the parser report everything after it, so only the first is shown
  const [slip] = yaml.errors
  if (slip) {
    const { linePos, code, message } = slip
    const path = linePos ? `line ${linePos[0].line}, column ${linePos[0].col}` : ''
    const [reason] = message.split(/(?: at line \d+, column \d+:)?\n/)
    throw new ConfigError(file, [{ path, value: code, expected: `valid YAML (${reason})` }])
  }
  const document = plainValue(yaml, restore, file)
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    throw new ConfigError(file, [
      {
        path: '',
        value: Array.isArray(document) ? 'a list' : document === null ? 'nothing' : `a ${typeof document}`,
        expected: 'sections mirror:, candidateServer: and/or comparator:',
      },
    ])
  }
  visit(yaml, {
    Scalar(key, node) {
      if (key !== 'key' && typeof node.value === 'number') node.value = node.source
    },
  })
  return { sections: document, spelled: restore(yaml.toJS()) } as ConfigDocument
}

function plainValue(
  yaml: ReturnType<typeof parseDocument>,
  restore: (document: unknown) => unknown,
  file: string,
): unknown {
  try {
    return restore(yaml.toJS())
  } catch {
    // most likely an alias without an anchor, or one inside its own anchor; its name may be the beginning of a password
    const expected = 'valid YAML: text that begins with * in quotes, and aliases of anchors that end before them'
    throw new ConfigError(file, [{ path: '', value: 'UNRESOLVED_ALIAS', expected }])
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
