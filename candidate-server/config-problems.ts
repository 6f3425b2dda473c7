import type { ConfigProblem } from '../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated, sizeIn } from '../runtime/config/semantics.ts'
import { isServersOwn } from './http/route.ts'

/** What would be taken, and then never work. */
export function candidateServerProblems(section: unknown, path: string): ConfigProblem[] {
  const { limits, models } = (section ?? {}) as Loose
  return [
    ...limitProblems((limits ?? {}) as Loose, `${path}.limits`),
    ...repeated(objectsIn(models, `${path}.models`), 'name', 'a name that no other model has'),
    ...pathProblems(models, `${path}.models`),
  ]
}

/**
 * A body that is larger than all together may be would be told to try again later, for ever; and runs would be ended by
 * the memory that their process may have without them.
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

function pathProblems(models: unknown, path: string): ConfigProblem[] {
  const seen = new Set<unknown>()
  return objectsIn(models, path).flatMap(({ item: { paths }, path }) =>
    (Array.isArray(paths) ? paths : []).flatMap((value, i) => {
      const problem = (expected: string) => [{ path: `${path}.paths[${i}]`, value, expected }]
      if (isServersOwn(value)) return problem('a path that the server does not answer itself')
      return seen.size === seen.add(value).size ? problem('a path that no model has yet') : []
    }),
  )
}
