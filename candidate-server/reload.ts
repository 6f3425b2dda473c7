import { isDeepStrictEqual } from 'node:util'
import type { ConfigProblem } from '../runtime/config/problem.ts'
import type { Logger } from '../runtime/logger.ts'
import { Reloader, sameAsAtStart } from '../runtime/reloader.ts'
import { type CandidateServerConfig, candidateServerSchema } from './config.ts'
import type { CandidateServer } from './server.ts'

export function createReloader(
  file: string,
  config: CandidateServerConfig,
  server: Pick<CandidateServer, 'reload' | 'registry'>,
  logger: Logger,
) {
  return new Reloader({
    file,
    section: 'candidateServer',
    schema: candidateServerSchema,
    config,
    restartProblems,
    putInForce: (next) => server.reload(next),
    service: 'candidate',
    reloaded: 'the config and the models',
    registry: server.registry,
    logger,
  })
}

/** Settings that cannot change while the process runs. */
function restartProblems(before: CandidateServerConfig, after: CandidateServerConfig): ConfigProblem[] {
  const fixed: [string, unknown, unknown][] = [
    ['listen', before.listen, after.listen],
    ['cpu.watch', before.cpu.watch, after.cpu.watch],
    ['limits.bodiesMax', before.limits.bodiesMax, after.limits.bodiesMax],
  ]
  return fixed
    .filter(([, was, is]) => !isDeepStrictEqual(was, is))
    .map(([path, , value]) => ({ path: `candidateServer.${path}`, value, expected: sameAsAtStart }))
}
