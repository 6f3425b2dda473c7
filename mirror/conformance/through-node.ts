import { head } from './case.ts'
import { inOneChunk } from './one-chunk.ts'
import type { View } from './view.ts'

/**
 * What http-proxy-3's path does to every head, because Node writes it: lines of one name are grouped, spelt like the
 * first, and without space around values. Framing and connection lines come first in a request and last in a response.
 * Bodies get new chunks, one for each part that Node happens to read, so chunk boundaries are not compared.
 */
export function throughNode(view: View): View {
  return chunksAside({
    ...view,
    requests: view.requests.map((request) => request.replace(requestHead, requestByNode)),
    client: view.client.replace(finalResponseHead, responseByNode),
  })
}

export const chunksAside = (view: View): View => ({
  ...view,
  requests: view.requests.map(inOneChunk),
  client: inOneChunk(view.client),
})

const requestHead = /^[A-Z-]+ \S+ HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n/
const finalResponseHead = /HTTP\/1\.1 [2-9]\d\d[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/g

function requestByNode(text: string): string {
  const { start, fields, take } = parse(text)
  const framing = ['content-length', 'transfer-encoding'].flatMap((name) =>
    take(name).map((value) => `${name}: ${value}`),
  )
  take('trailer')
  return head(start, ...framing, 'connection: keep-alive', ...written(fields))
}

function responseByNode(text: string): string {
  const { start, fields, take } = parse(text)
  const connection = take('connection').includes('close') ? 'close' : 'keep-alive'
  const isChunked = take('transfer-encoding').length > 0
  take('trailer')
  return head(
    start,
    ...written(fields),
    `Connection: ${connection}`,
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
  )
}

type Grouped = Map<string, { spelling: string; values: string[] }>

function parse(text: string) {
  const [start, ...lines] = text.slice(0, -4).split('\r\n')
  const fields: Grouped = new Map()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const spelling = line.slice(0, colon)
    const same = fields.get(spelling.toLowerCase()) ?? { spelling, values: [] }
    same.values.push(line.slice(colon + 1).trim())
    fields.set(spelling.toLowerCase(), same)
  }
  const take = (name: string): string[] => {
    const { values } = fields.get(name) ?? { values: [] }
    fields.delete(name)
    return values
  }
  return { start: start!, fields, take }
}

const written = (fields: Grouped): string[] =>
  [...fields.values()].flatMap(({ spelling, values }) => values.map((value) => `${spelling}: ${value}`))
