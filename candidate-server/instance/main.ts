/** One pinned process with one ONNX session. It is a process of its own because `session.run` blocks its thread. */
import type { InferenceSession } from 'onnxruntime-node'
import type { Bytes } from '../../vocabulary/units.ts'
import { bytesIn, type Tensors } from '../tensor/tensor.ts'
import { exchangeFds, slotOf } from './exchange-file.ts'
import { InputMemory } from './input-memory.ts'
import { LoadError } from './load-error.ts'
import { loadModel } from './load-model.ts'
import type { FromInstance, ToInstance } from './messages.ts'
import { endBeforeFront } from './out-of-memory.ts'
import { run } from './run-session.ts'
import { runtimeMessage } from './runtime-message.ts'
import { fromWire, inParts, toWire } from './wire-tensors.ts'

endBeforeFront()

let session: InferenceSession | undefined
let isExchanging = false
/** The chain of runs received so far: each starts once the previous one has been answered. */
let runs: Promise<void> = Promise.resolve()
const inputMemory = new InputMemory()
let rss: { bytes: Bytes; at: number } = { bytes: 0, at: Number.NEGATIVE_INFINITY }
const rssEveryMs = 250

process.on('message', async (message: ToInstance) => {
  switch (message.kind) {
    case 'load':
      return answer(await load(message))
    case 'run':
      runs = runs.then(async () => {
        answer(await infer(message))
        inputMemory.settle()
      })
      return
    case 'stop':
      return process.disconnect?.()
  }
})
// a terminal's Ctrl-C reaches the whole process group, but the front ends this process after draining its queue
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('SIGHUP', () => {})
process.on('disconnect', () => process.exit(0))

async function load(message: ToInstance & { kind: 'load' }): Promise<FromInstance> {
  try {
    isExchanging = message.exchange
    const loaded = await loadModel(message)
    session = loaded.session
    return { kind: 'ready', model: loaded.model, rssBytes: process.memoryUsage.rss() }
  } catch (error) {
    if (error instanceof LoadError) return { kind: 'unloadable', ...error.problem }
    throw error
  }
}

async function infer({ id, inputs, outputBytesMax }: ToInstance & { kind: 'run' }): Promise<FromInstance> {
  const exchange = isExchanging ? exchangeFds[slotOf(id)] : undefined
  try {
    const feeds = fromWire(inputs, exchange, inputMemory.take)
    const startedAt = performance.now()
    const outputs = await run(session!, feeds)
    const inferMs = performance.now() - startedAt
    checkOutputs(outputs, outputBytesMax)
    return { kind: 'done', id, outputs: toWire(inParts(outputs), exchange), inferMs, rssBytes: rssBytes() }
  } catch (error) {
    return { kind: 'failed', id, message: runtimeMessage(error) }
  }
}

/** The front is shared by all models, so one model's outputs must not fill its memory. */
function checkOutputs(outputs: Tensors, bytesMax: Bytes): void {
  const bytes = bytesIn(outputs)
  if (bytes > bytesMax) throw new Error(`its outputs are ${bytes} bytes, over limits.outputMax, ${bytesMax} bytes`)
}

/** Cached, because reading it takes longer than a tiny model's run. */
function rssBytes(): Bytes {
  const now = performance.now()
  if (now - rss.at >= rssEveryMs) rss = { bytes: process.memoryUsage.rss(), at: now }
  return rss.bytes
}

function answer(message: FromInstance): void {
  if (process.connected) process.send!(message)
}
