import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

/**
 * The upper bound for a single process: reads a request's bytes and writes an answer of the usual length, without HTTP
 * parsing, JSON or a model. Sends its port.
 */
const { values } = parseArgs({ options: { 'answer-bytes': { type: 'string' }, json: { type: 'boolean' } } })
const answerBytes = Number(values['answer-bytes'])
const body = values.json
  ? Buffer.from(JSON.stringify({ predictions: [0] }).padEnd(answerBytes))
  : Buffer.alloc(answerBytes)
const answer = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`), body])

/** All requests of a round are identical. */
let requestBytes: number | undefined

const server = createServer({ noDelay: true }, (socket) => {
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    requestBytes ??= lengthOf(chunk)
    received += chunk.length
    if (received >= requestBytes) {
      received = 0
      socket.write(answer)
    }
  })
  socket.on('error', () => {}) // a client that left
})
server.listen(0, '127.0.0.1')

function lengthOf(message: Buffer): number {
  const headEnd = message.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: *(\d+)/i.exec(message.toString('latin1', 0, headEnd))?.[1]
  if (length === undefined) throw new Error('expected a request with its head and a content-length in one piece')
  return headEnd + 4 + Number(length)
}

process.on('message', () => process.send!((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit(0))
