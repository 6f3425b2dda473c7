import { parseSliceKey } from '../../../../vocabulary/slice/slice-key.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { dimensionWords, valueWords } from './slice-words.ts'

/** Shows that the page covers only part of the traffic, with a link back to all of it. */
export function SliceFilter({ route }: { route: ValidationRoute }) {
  if (route.slice === null) return null
  const key = parseSliceKey(route.slice)
  return (
    <p class="slice-filter">
      <span>
        Only{' '}
        {key === null ? (
          <VisibleText text={route.slice} inline />
        ) : (
          <>
            {dimensionWords(key.dimension)}{' '}
            <strong>
              <VisibleText text={valueWords(key.dimension, key.value)} inline />
            </strong>
          </>
        )}
      </span>
      <a class="button button-quiet" href={formatRoute({ ...route, slice: null })}>
        Show all traffic
      </a>
    </p>
  )
}
