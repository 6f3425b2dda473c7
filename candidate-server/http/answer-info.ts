import type { Bytes } from '../../vocabulary/units.ts'
import { serveError } from '../errors.ts'
import type { ServedModel } from '../model/served-model.ts'
import { objectAt, parseJson } from '../protocol/json-body.ts'
import { modelConfiguration, modelMetadata, repositoryEntry, serverMetadata } from '../protocol/metadata.ts'
import { modelStatistics } from '../protocol/model-statistics.ts'
import { findModel } from './find-model.ts'
import type { Front } from './front.ts'
import { json, modelHeaders, type Reply, text } from './reply.ts'
import type { InfoRoute, ModelInfoKind } from './route.ts'

/** Many times larger than any valid index request; parsing a bigger body would only block the event loop. */
const indexBytesMax: Bytes = 4 * 1024

export async function answerInfo(front: Front, route: InfoRoute): Promise<Reply> {
  const all = () => [...front.models.values()].map(({ served }) => served)
  switch (route.kind) {
    case 'serverMetadata':
      return json(serverMetadata(front.version))
    case 'live':
      return json({ live: true })
    case 'ready':
      return json({ ready: front.isReady() }, front.isReady() ? 200 : 503)
    case 'ping':
      return front.isReady() ? json({ status: 'Healthy' }) : json({ status: 'Unhealthy' }, 500)
    case 'healthz':
      return json({ status: 'ok' })
    case 'readyz':
      return front.isReady() ? json({ status: 'ready' }) : json({ status: 'notReady' }, 503)
    case 'metrics':
      return text(await front.metrics(), 'text/plain; version=0.0.4; charset=utf-8')
    case 'plan':
      return json(front.plan())
    case 'models':
      return json({ models: [...front.models.keys()] })
    case 'allStats':
      return json({ model_stats: all().map(statisticsOf) })
    default: {
      const { served } = findModel(front, route.model, route.version)
      const reply = answerModelInfo(route.kind, served)
      return { ...reply, headers: { ...reply.headers, ...modelHeaders(served) } }
    }
  }
}

/** A body of `{"ready": true}` limits the answer to models that are ready. */
export function answerIndex(front: Front, body: Uint8Array): Reply {
  if (body.length > indexBytesMax) {
    throw serveError('BODY_TOO_LARGE', `expected {"ready": true} or nothing, got ${body.length} bytes`)
  }
  const asked = body.length === 0 ? {} : objectAt(parseJson(body), 'the body')
  const entries = [...front.models.values()]
    .filter(({ served }) => served.ready || asked.ready !== true)
    .map(({ served: { name, version, ready } }) => repositoryEntry(name, version, ready))
  return json(entries)
}

function answerModelInfo(kind: ModelInfoKind, served: ServedModel): Reply {
  const { name, version, loaded, ready, instances } = served
  switch (kind) {
    case 'modelMetadata':
      return json(modelMetadata(name, [version], loaded.info))
    case 'modelReady':
      return json({ name, ready }, ready ? 200 : 503)
    case 'modelStats':
      return json({ model_stats: [statisticsOf(served)] })
    case 'modelConfiguration':
      return json(modelConfiguration(name, loaded.info, instances.length, served.batchSizeMax))
  }
}

const statisticsOf = ({ name, version, statistics }: ServedModel) => modelStatistics(name, version, statistics)
