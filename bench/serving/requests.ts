import { elementsOf, type ModelName, modelOf } from '../models/models.ts'
import { answerElements } from './side.ts'

/**
 * How a row is sent over HTTP. `tensors`: Open Inference Protocol with binary tensors both ways; `json`: to
 * `/predictions/MODEL`; `raw`: only the input's bytes (accepted only by the naive handler).
 */
export type Wire = 'tensors' | 'json' | 'raw'

/** One row's request as sent over the socket, head and body in one buffer; all connections use the same one. */
export function requestMessage(port: number, name: ModelName, wire: Wire): Buffer {
  const { path, headers, body } = contentOf(name, wire)
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, 'content-length': body.length })
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function contentOf(name: ModelName, wire: Wire): { path: string; headers: Record<string, string>; body: Buffer } {
  const { inputs } = modelOf(name)
  const parts = inputs.map((input) => elementsOf(input, 1))
  if (wire === 'json') {
    const body = Buffer.from(JSON.stringify(Array.from(parts[0] as Float32Array)))
    return { path: `/predictions/${name}`, headers: { 'content-type': 'application/json' }, body }
  }
  const bytes = parts.map(({ buffer }) => Buffer.from(buffer))
  const octets = { 'content-type': 'application/octet-stream' }
  if (wire === 'raw') return { path: `/predictions/${name}`, headers: octets, body: bytes[0]! }
  const json = Buffer.from(
    JSON.stringify({
      inputs: inputs.map(({ name: input, datatype, rowShape }, i) => ({
        name: input,
        datatype,
        shape: [1, ...rowShape],
        parameters: { binary_data_size: bytes[i]!.length },
      })),
      parameters: { binary_data_output: true },
    }),
  )
  return {
    path: `/v2/models/${name}/infer`,
    headers: { ...octets, 'inference-header-content-length': String(json.length) },
    body: Buffer.concat([json, ...bytes]),
  }
}

/** The first elements of the first output. Throws if the body is not in that wire's format. */
export function readAnswer(wire: Wire, head: string, body: Buffer): number[] {
  if (wire === 'json') {
    return (JSON.parse(body.toString()) as { predictions: number[] }).predictions.slice(0, answerElements)
  }
  const jsonBytes = wire === 'raw' ? 0 : Number(/\r\ninference-header-content-length: *(\d+)/i.exec(head)?.[1])
  const bytes = new Uint8Array(body.subarray(jsonBytes))
  return Array.from(new Float32Array(bytes.buffer, 0, Math.min(answerElements, Math.floor(bytes.length / 4))))
}
