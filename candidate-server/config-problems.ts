import type { ConfigProblem } from '../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated, sizeIn } from '../runtime/config/semantics.ts'
import { isServersOwn } from './http/route.ts'

/** What would be taken, and then never work. */
export function candidateServerProblems(section: unknown, path: string): ConfigProblem[] {
  const { limits, models } = (section ?? {}) as Loose
  return [
    ...bodyProblems((limits ?? {}) as Loose, `${path}.limits`),
    ...repeated(objectsIn(models, `${path}.models`), 'name', 'a name that no other model has'),
    ...pathProblems(models, `${path}.models`),
  ]
}

/** A body that is larger than all together may be would be told to try again later, for ever. */
function bodyProblems({ bodyMax, bodiesMax }: Loose, path: string): ConfigProblem[] {
  const [one, all] = [bodyMax, bodiesMax].map(sizeIn) as [number, number]
  return one > all ? [{ path: `${path}.bodiesMax`, value: bodiesMax, expected: `at least bodyMax, ${bodyMax}` }] : []
}

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
