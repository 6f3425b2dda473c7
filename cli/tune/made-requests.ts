import { fitsShape, formatShape } from '../../candidate-server/tensor/model-info.ts'
import { elementCount, elementTypes, type NumericType } from '../../candidate-server/tensor/tensor.ts'
import { CliFailure } from '../failure.ts'
import { uniform } from '../load/arrivals.ts'
import { type StoredRequest, storedRequest } from '../load/stored-requests.ts'

/** An input as described by `/v2/models/{name}`; -1 means any size. */
export interface InputMetadata {
  name: string
  datatype: string
  shape: number[]
}

const variants = 4

/**
 * Binary infer requests of one row that fit the model: floats are uniform in [0, 1); integers and booleans are 1, which
 * every model accepts as token ids and masks. Throws a `CliFailure` if the user has to supply a size or a text;
 * `adapter` decides what it suggests.
 */
export function makeRequests(
  model: string,
  inputs: readonly InputMetadata[],
  shapes: ReadonlyMap<string, number[]>,
  adapter = 'tensor',
): StoredRequest[] {
  const unknown = [...shapes.keys()].find((name) => !inputs.some((input) => input.name === name))
  if (unknown !== undefined) {
    throw new CliFailure(
      `--shape ${unknown}: the model has no such input; it takes ${inputs.map(({ name }) => name).join(', ') || 'none'}`,
    )
  }
  const texts = inputs.filter(({ datatype }) => datatype === 'BYTES').map(({ name }) => `input ${name} is BYTES`)
  if (texts.length > 0) {
    throw new CliFailure(`${texts.join(', ')}, which cannot be made up: ${withRequests(inferLine(model, inputs))}`)
  }
  const open = inputs.filter(({ name, shape }) => !shapes.has(name) && shape.slice(1).includes(-1))
  if (open.length > 0) {
    const named = open.map(({ name, shape }) => `input ${name} has the shape ${formatShape(shape)}`)
    const options = open.map(({ name, shape }) => `--shape ${name}=${exampleOf(shape)}`)
    const sizes = `say how large, such as ${options.join(' ')}`
    const ways = [sizes, withRequests(`{"path": "/predictions/${model}", ${bodies[adapter] ?? '"body": …'}}`)]
    // the cost of a text depends on its length, and the server produces its tokens
    throw new CliFailure(`${named.join(', ')}: ${(adapter === 'text' ? ways.reverse() : ways).join(', or ')}`)
  }
  const random = uniform(1)
  const sized = inputs.map((input) => ({ ...input, shape: shapeOf(input, shapes.get(input.name)) }))
  return Array.from({ length: variants }, () => inferRequest(model, sized, random))
}

const exampleOf = (shape: readonly number[]) =>
  shape.map((size, i) => (size !== -1 ? size : i === 0 ? 1 : 128)).join('x')

function shapeOf({ name, shape }: InputMetadata, given: number[] | undefined): number[] {
  if (!given) return shape.map((size) => (size === -1 ? 1 : size))
  if (fitsShape(given, shape)) return given
  throw new CliFailure(`--shape ${name}=${given.join('x')} does not fit the model's ${formatShape(shape)}`)
}

function inferRequest(model: string, inputs: readonly InputMetadata[], random: () => number): StoredRequest {
  const parts = inputs.map(({ datatype, shape }) => bytesOf(datatype, elementCount(shape), random))
  const head = Buffer.from(
    JSON.stringify({
      inputs: inputs.map((input, i) => ({ ...input, parameters: { binary_data_size: parts[i]!.length } })),
      parameters: { binary_data_output: true },
    }),
  )
  const headers = {
    'content-type': 'application/octet-stream',
    'inference-header-content-length': String(head.length),
  }
  return storedRequest(
    'POST',
    `/v2/models/${encodeURIComponent(model)}/infer`,
    headers,
    Buffer.concat([head, ...parts]),
  )
}

function bytesOf(datatype: string, count: number, random: () => number): Buffer {
  const type = Object.keys(elementTypes).find((key) => elementTypes[key as NumericType].protocolName === datatype)!
  const array = new elementTypes[type as NumericType].array(count)
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) array.fill(1n)
  else if (type.startsWith('float')) for (let i = 0; i < count; i++) array[i] = random()
  else array.fill(1)
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
}

const bodies: Record<string, string> = { text: '"body": "a text"', image: '"bodyBase64": "…"' }
const withRequests = (line: string) => `give --requests FILE, with lines such as ${line}`

/** A whole image would fill the screen. */
const shownElementsMax = 16

/** A request ready to be sent, except for long data; contains a text if the model takes texts, whatever its adapter. */
function inferLine(model: string, inputs: readonly InputMetadata[]): string {
  const filled = inputs.map((input) => {
    const shape = shapeOf(input, undefined)
    const count = elementCount(shape)
    const data = count > shownElementsMax ? '…' : Array(count).fill(input.datatype === 'BYTES' ? 'a text' : 1)
    return { ...input, shape, data }
  })
  return JSON.stringify({ path: `/v2/models/${model}/infer`, body: { inputs: filled } })
}
