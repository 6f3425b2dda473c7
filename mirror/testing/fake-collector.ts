import { fakeUpstream, readAll } from './fake-upstream.ts'

export interface CollectedSpan {
  name: string
  /** 2: server, 3: client. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  statusCode: number
  startMs: number
  endMs: number
  attributes: Record<string, string | number>
  service: string
}

/** An OTLP collector that keeps the spans it is sent while it answers 200. */
export async function fakeCollector() {
  const spans: CollectedSpan[] = []
  const paths: string[] = []
  const answer = { status: 200 }
  const upstream = await fakeUpstream(async (request, response) => {
    paths.push(request.url!)
    const { resourceSpans } = JSON.parse((await readAll(request)).toString())
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end('{}')
    if (answer.status !== 200) return
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = attributesOf(resource.attributes)['service.name'] as string
      for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
        const { name, kind, traceId, spanId, parentSpanId } = span
        const [startMs, endMs] = [span.startTimeUnixNano, span.endTimeUnixNano].map((nano) => Number(nano) / 1e6)
        const attributes = attributesOf(span.attributes)
        const statusCode = span.status.code ?? 0
        spans.push({
          name,
          kind,
          traceId,
          spanId,
          parentSpanId,
          statusCode,
          startMs,
          endMs,
          attributes,
          service,
        } as CollectedSpan)
      }
    }
  })
  return { ...upstream, spans, paths, answer }
}

function attributesOf(
  list: { key: string; value: Record<string, string | number> }[],
): Record<string, string | number> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]!]))
}
