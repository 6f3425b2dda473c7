import { parseArgs } from 'node:util'
import fastify from 'fastify'
import { InferenceSession, Tensor } from 'onnxruntime-node'

/**
 * The server one would write first: a handler that calls `session.run`, in one process. `--threads` sets the session's
 * threads; without it, the runtime's defaults apply. Sends its port.
 */
const { values } = parseArgs({
  options: { model: { type: 'string' }, elements: { type: 'string' }, threads: { type: 'string' } },
})
const elements = Number(values.elements)
const session = await InferenceSession.create(
  values.model!,
  values.threads === undefined ? {} : { intraOpNumThreads: Number(values.threads), interOpNumThreads: 1 },
)
const app = fastify()
app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

const run = async (input: Float32Array) => {
  const { output } = await session.run({ input: new Tensor('float32', input, [1, elements]) })
  return output!.data as Float32Array
}

app.post('/predictions/:model', async (request, reply) => {
  if (Buffer.isBuffer(request.body)) {
    const output = await run(new Float32Array(new Uint8Array(request.body).buffer))
    return reply.type('application/octet-stream').send(Buffer.from(output.buffer, output.byteOffset, output.byteLength))
  }
  return { predictions: Array.from(await run(Float32Array.from(request.body as number[]))) }
})

const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('message', () => process.send!(Number(new URL(url).port)))
process.on('disconnect', () => process.exit(0))
