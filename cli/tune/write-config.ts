import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isSeq, type Node, parseDocument, stringify, type YAMLMap } from 'yaml'
import { candidateServerSchema } from '../../candidate-server/config.ts'
import { maskReferences } from '../../runtime/config/interpolate.ts'
import { decodeSection } from '../../runtime/config/load-config.ts'
import { formatProblem } from '../../runtime/config/problem.ts'
import { CliFailure } from '../failure.ts'
import { type Configuration, sectionsOf } from './configuration.ts'
import { formOf, withChange } from './with-change.ts'

/** A model's entry as it stands in the config file. */
interface ModelEntry {
  name: string
  path: string
  [key: string]: unknown
}

export interface TunedModel {
  /** Absolute path. */
  file: string
  name: string
  /** Keys for the model's entry if the config has no entry yet. */
  entry: Record<string, unknown>
}

/**
 * Reads the file's `candidateServer:` section and the model's entry in it. Throws a `CliFailure` if it is not a valid
 * config.
 */
export function readConfig(file: string, model: string, name: string | undefined) {
  const { document, restore } = parse(file, readText(file))
  const section = (restore(document.toJS()) as { candidateServer?: Record<string, unknown> } | null)?.candidateServer
  const models = modelsOf(file, section)
  return { section: section ?? {}, models, entry: models[indexOf(models, file, model, name)] }
}

/** Empty if there are none yet. Throws a `CliFailure` if something else than a list of maps stands there. */
function modelsOf(file: string, section: { models?: unknown } | null | undefined): ModelEntry[] {
  const models = section?.models ?? []
  const isList = Array.isArray(models) && models.every((entry) => entry !== null && typeof entry === 'object')
  if (!isList) throw new CliFailure(`${file}: expected a list of models, each with keys and values`)
  return models
}

/** Printed if `--write` is not given: the lines to put into a config. */
export function configText(configuration: Configuration, { name, file, entry }: TunedModel): string {
  const { cpu, batch, session } = sectionsOf(configuration)
  const changed = Object.fromEntries(Object.entries(session).filter(isChanged))
  const own = Object.keys(changed).length > 0 ? { session: changed } : {}
  return stringify({ candidateServer: { cpu, models: [{ name, path: file, ...entry, batch, ...own }] } })
}

/**
 * The file's text with `cpu:` and the model's `batch:` and `session:` set; if there are other models, the counts go
 * into the model's own entry. Comments, environment references and everything else stay. Throws a `CliFailure` if the
 * result would not be a valid config.
 */
export function editConfig(file: string, text: string, configuration: Configuration, model: TunedModel): string {
  const { document, unmask, restore } = parse(file, text)
  const print = () => unmask(document.toString(formOf(text)))
  const before = print()
  const { cpu, batch, session } = sectionsOf(configuration)
  openSection(file, document)
  const models = modelsOf(file, (restore(document.toJS()) as { candidateServer?: object }).candidateServer)
  let index = indexOf(models, file, model.file, model.name)
  if (index < 0) {
    const path = ['candidateServer', 'models']
    const entry = { name: model.name, path: model.file, ...model.entry }
    if (isSeq(document.getIn(path))) document.addIn(path, document.createNode(entry))
    else fillIn(document, path, [entry])
    index = models.length
  }
  const modelPath = ['candidateServer', 'models', index]
  const { instances, threads, ...ofAll } = cpu
  // counts in cpu: would also apply to the other models
  const hasOthers = models.some((_, i) => i !== index)
  setAll(document, ['candidateServer', 'cpu'], hasOthers ? ofAll : cpu)
  // counts in the model's own entry take precedence, so they must be updated
  const own = document.getIn(modelPath) as YAMLMap
  for (const [key, count] of Object.entries({ instances, threads })) {
    if (hasOthers || own.has(key)) own.set(key, count)
  }
  setAll(document, [...modelPath, 'batch'], batch)
  setChanged(document, [...modelPath, 'session'], session)
  const printed = print()
  const inPlace = withChange(text, before, printed)
  // a text is changed line by line, by looks: should it ever read otherwise, the whole print is right all the same
  const edited = readsAs(inPlace, document) ? inPlace : printed
  requireValid(file, edited)
  return edited
}

const readsAs = (text: string, document: Document) =>
  isDeepStrictEqual(parseDocument(maskReferences(text).masked, { merge: true }).toJS(), document.toJS())

/** Gives a file or a section without content a map to write into. Throws a `CliFailure` if something else stands there. */
function openSection(file: string, document: Document.Parsed): void {
  if (document.contents === null) document.contents = document.createNode({}) as Document.Parsed['contents']
  const isEmpty = isMap(document.contents) && (document.contents.get('candidateServer') ?? null) === null
  if (isEmpty) fillIn(document, ['candidateServer'], {})
  if (!isMap(document.getIn(['candidateServer']))) {
    throw new CliFailure(`${file}: expected keys and values under candidateServer:`)
  }
}

/** Checked before a long search: throws a `CliFailure` if the result could not be written. */
export function requireWritable(file: string, configuration: Configuration, model: TunedModel): void {
  requireFolder(file)
  editConfig(file, readText(file), configuration, model)
}

/** Throws a `CliFailure` if the file's folder is not writable. */
export function requireFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliFailure(`${file} cannot be written (${code}); expected a writable folder`)
  }
}

/** Empty if the file does not exist. */
function readText(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliFailure(`${file} cannot be read (${code}); expected a config`)
  }
}

/** Replaces the file atomically, or creates it. */
export function writeConfig(file: string, configuration: Configuration, model: TunedModel): void {
  const target = existsSync(file) ? realpathSync(file) : file
  const edited = editConfig(target, readText(target), configuration, model)
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}`)
  writeFileSync(beside, edited, { mode: existsSync(target) ? statSync(target).mode : 0o644 })
  renameSync(beside, target)
}

/** Puts a value where a key has none, and keeps the comments there. */
function fillIn(document: Document, path: (string | number)[], value: object): void {
  const empty = document.getIn(path, true) as Node | undefined
  const node = document.createNode(value)
  node.commentBefore = [empty?.commentBefore, empty?.comment].filter(Boolean).join('\n') || null
  document.setIn(path, node)
}

function setAll(document: Document, path: (string | number)[], values: Record<string, unknown>): void {
  if (!isMap(document.getIn(path))) fillIn(document, path, {})
  for (const [key, value] of Object.entries(values)) document.setIn([...path, key], value)
}

/** Writes only values that differ from the session's defaults, and updates those that are already there. */
function setChanged(document: Document, path: (string | number)[], values: ReturnType<typeof sectionsOf>['session']) {
  const entries = Object.entries(values).filter((entry) => isChanged(entry) || document.hasIn([...path, entry[0]]))
  if (entries.length > 0) setAll(document, path, Object.fromEntries(entries))
}

const sessionDefaults: ReturnType<typeof sectionsOf>['session'] = {
  graphOptimization: 'all',
  memoryArena: true,
  amx: true,
  spaceToDepth: true,
}
const isChanged = ([key, value]: [string, unknown]) => sessionDefaults[key as keyof typeof sessionDefaults] !== value

function parse(file: string, text: string) {
  const { masked, restore } = maskReferences(text)
  const document = parseDocument(masked, { merge: true })
  const [error] = document.errors
  if (error) throw new CliFailure(`${file}: expected valid YAML: ${error.message}`)
  return { document, restore, unmask: (edited: string) => restore(edited) as string }
}

/**
 * Finds the model by name if one is given, otherwise by the file its `path:` refers to, from the working directory or
 * the config's folder.
 */
function indexOf(models: readonly ModelEntry[], file: string, model: string, name: string | undefined): number {
  const byName = models.findIndex((entry) => entry.name === name)
  if (byName >= 0) return byName
  const folders = [process.cwd(), dirname(resolve(file))]
  return models.findIndex(({ path }) => folders.some((folder) => resolve(folder, String(path)) === resolve(model)))
}

function requireValid(file: string, text: string): void {
  const { document, restore } = parse(file, text)
  const section = (restore(document.toJS()) as Record<string, unknown>).candidateServer
  const { problems } = decodeSection(section, 'candidateServer', candidateServerSchema, process.env)
  // variables that are not set here may be set where the server runs
  const ours = problems.filter(({ expected }) => !expected.startsWith('the environment variable'))
  if (ours.length > 0) {
    throw new CliFailure(`${file} is not a valid config:\n${ours.map(formatProblem).join('\n')}`)
  }
}

/**
 * Makes a config's path absolute: relative to the config's folder if the file is only there, otherwise to the working
 * directory.
 */
export function absolutePath(path: string, configFile: string | undefined): string {
  if (isAbsolute(path) || configFile === undefined) return resolve(path)
  const places = [process.cwd(), dirname(resolve(configFile))].map((folder) => resolve(folder, path))
  return places.find(existsSync) ?? places[0]!
}
