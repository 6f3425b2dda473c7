import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { readAll } from './fake-upstream.ts'
import { caPem } from './tls/files.ts'

export interface Http2Answer {
  status: number
  headers: IncomingHttpHeaders
  trailers: IncomingHttpHeaders | undefined
  body: Buffer
}

/** Node's own client: uses ALPN for `https:` and prior knowledge for `http:`. Closed when the test ends. */
export async function http2Client(url: string): Promise<ClientHttp2Session> {
  const session = connect(url.replace('127.0.0.1', 'localhost'), { ca: caPem, lookup: loopback, maxSessionMemory: 100 })
  session.on('error', () => {})
  onTestFinished(async () => {
    session.destroy()
    // a mirror stopped before it has seen the session end would wait for another request
    await setTimeout(20)
  })
  await once(session, 'connect')
  return session
}

/** One request with its whole answer. */
export async function ask(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  body?: string | Buffer,
): Promise<Http2Answer> {
  const stream = session.request(headers, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  return answerOf(stream)
}

export async function answerOf(stream: ClientHttp2Stream): Promise<Http2Answer> {
  let trailers: IncomingHttpHeaders | undefined
  stream.on('trailers', (received) => {
    trailers = received
  })
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
  const body = await readAll(stream)
  return { status: headers[':status'], headers, trailers, body }
}

const loopback = ((_name: string, options: { all?: boolean }, done: (...of: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never

/** The code of the reset that ended the stream, or 0. */
export async function endOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => {})
  stream.resume()
  await new Promise((resolve) => stream.once('close', resolve))
  return stream.rstCode ?? 0
}
