import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated, sizeIn } from '../../runtime/config/semantics.ts'
import { isServerPath, modelNamedBy } from '../paths.ts'

/** Settings that pass the schema but could never work. */
export function candidateServerProblems(section: unknown, path: string): ConfigProblem[] {
  const { limits, models } = (section ?? {}) as Loose
  return [
    ...limitProblems((limits ?? {}) as Loose, `${path}.limits`),
    ...repeated(objectsIn(models, `${path}.models`), 'name', 'a name that no other model has'),
    ...nameProblems(models, `${path}.models`),
    ...pathProblems(models, `${path}.models`),
    ...optionProblems(models, `${path}.models`),
    ...dispatchProblems(models, `${path}.models`),
  ]
}

/**
 * With `bodyMax` over `bodiesMax`, a large body would be told to try again later for ever. With `runRssMax` not above
 * `rssMax`, runs would be ended for memory that their process may hold without them.
 */
const limitProblems = (limits: Loose, path: string): ConfigProblem[] =>
  (
    [
      ['bodyMax', 'bodiesMax', 'at least'],
      ['rssMax', 'runRssMax', 'more than'],
    ] as const
  ).flatMap(([smaller, larger, how]) => {
    const [low, high] = [sizeIn(limits[smaller]), sizeIn(limits[larger])]
    return low > high || (low === high && how === 'more than')
      ? [{ path: `${path}.${larger}`, value: limits[larger], expected: `${how} ${smaller}, ${limits[smaller]}` }]
      : []
  })

/** Whether a path of the server hides the metadata of a model with this name. */
export const isHiddenByServer = (name: unknown) => isServerPath(`/v2/models/${name}`)

const nameProblems = (models: unknown, path: string): ConfigProblem[] =>
  objectsIn(models, path)
    .filter(({ item: { name } }) => isHiddenByServer(name))
    .map(({ item: { name: value }, path }) => ({
      path: `${path}.name`,
      value,
      expected: `another name: /v2/models/${value} has the statistics of all models`,
    }))

function pathProblems(models: unknown, path: string): ConfigProblem[] {
  const all = objectsIn(models, path)
  const names = new Set(all.map(({ item: { name } }) => name))
  const seen = new Set<unknown>()
  return all.flatMap(({ item: { name, paths }, path }) =>
    (Array.isArray(paths) ? paths : []).flatMap((value, i) => {
      const problem = (expected: string) => [{ path: `${path}.paths[${i}]`, value, expected }]
      if (isServerPath(value)) return problem('a path that the server does not answer itself')
      const named = modelNamedBy(value)
      if (named !== undefined && named !== name && names.has(named)) {
        return problem(`a path that does not lead to the model ${named}`)
      }
      return seen.size === seen.add(value).size ? problem('a path that no model has yet') : []
    }),
  )
}

/** Options that the model's adapter would ignore. */
const optionProblems = (models: unknown, path: string): ConfigProblem[] =>
  objectsIn(models, path).flatMap(({ item: { adapter, ...model }, path }) =>
    ['image', 'text']
      .filter((key) => model[key] !== undefined && adapter !== key)
      .map((key) => ({
        path: `${path}.${key}`,
        value: model[key],
        expected: `adapter: ${key} beside it; the adapter is ${adapter}`,
      })),
  )

/** An input whose length would count, where elements do. */
const dispatchProblems = (models: unknown, path: string): ConfigProblem[] =>
  objectsIn(models, path).flatMap(({ item, path }) => {
    const { by, input: value } = (item.dispatch ?? {}) as Loose
    const expected = 'by: length beside it; by: elements counts those of all inputs'
    return by === 'elements' && value !== undefined ? [{ path: `${path}.dispatch.input`, value, expected }] : []
  })
