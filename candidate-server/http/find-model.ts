import { serveError } from '../errors.ts'
import type { Front, ServedAdapter } from './front.ts'

/** Throws a 404 that lists the models or versions served. */
export function findModel(front: Pick<Front, 'models'>, name: string, version: string | undefined): ServedAdapter {
  const found = front.models.get(name)
  if (!found) {
    throw serveError('MODEL_NOT_FOUND', `Model not found: ${name}; there are ${[...front.models.keys()].join(', ')}`)
  }
  if (version !== undefined && version !== found.served.version) {
    throw serveError(
      'VERSION_NOT_FOUND',
      `Model version: ${version} does not exist for model: ${name}; there is ${found.served.version}`,
    )
  }
  return found
}
