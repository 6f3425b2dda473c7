import { type Answered, versionLengthMax } from '../../../vocabulary/outcome.ts'
import { elementsMax } from '../answer.ts'
import { decodeBytes, textOf, withoutByteOrderMark } from './decode-body.ts'
import { flatten } from './flatten.ts'
import { headerIn } from './header-in.ts'
import { describe, type Problem, problem } from './mapping-problem.ts'
import { readTensor } from './oip-tensor.ts'
import { type BodyDocument, type KeepDigits, parseJson } from './parse-json.ts'

/** A response with more outputs, or an output with more dimensions, is unmapped. */
const outputsMax = 1000
const dimensionsMax = 32

/**
 * An Open Inference Protocol v2 response (KServe, "Open Inference Protocol Specification"; Triton, "Binary Tensor Data
 * Extension") as one object of its outputs: name → array in the tensor's shape, so that `/probabilities/0/3` is a
 * pointer. With binary tensors the body is JSON of the length in `Inference-Header-Content-Length`, followed by the
 * tensors' bytes in the order of the outputs with a `binary_data_size`. If that header was not captured, the JSON ends
 * at its own closing brace. A body that was delivered as text is read as bytes too: the FP32 of 0.7 is `333?`.
 */
export function readOip(outcome: Answered, keep?: KeepDigits): BodyDocument | Problem {
  if (outcome.body === undefined) return problem('empty', '', 'a body', 'none')
  const bytes = decodeBytes(outcome)
  const length = headerLength(outcome) ?? endOfObject(bytes)
  if (length > bytes.length) {
    return problem('format', '', `an inference header of ${length} bytes`, `a body of ${bytes.length} bytes`)
  }
  return readOutputs(parseJson(textIn(bytes, length), keep), bytes.subarray(length), keep)
}

/** The `model_version` of such a response, if it has one. Triton names its model's version nowhere else. */
export function modelVersionIn(outcome: Answered): string | undefined {
  const bytes = decodeBytes(outcome)
  const parsed = parseJson(textIn(bytes, headerLength(outcome) ?? endOfObject(bytes)))
  if (parsed.kind === 'problem') return undefined
  const version = (parsed.document as { model_version?: unknown } | null)?.model_version
  return typeof version === 'string' && version !== '' && version.length <= versionLengthMax ? version : undefined
}

const textIn = (bytes: Buffer, length: number) => withoutByteOrderMark(textOf(bytes.subarray(0, length)))

function headerLength({ headers }: Answered): number | undefined {
  const length = headerIn(headers, 'inference-header-content-length') ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Number of bytes up to the brace that closes the first one; the whole length if none does. */
function endOfObject(bytes: Buffer): number {
  let depth = 0
  let isInString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (isInString) {
      if (byte === 0x5c) i++
      else if (byte === 0x22) isInString = false
    } else if (byte === 0x22) isInString = true
    else if (byte === 0x7b) depth++
    else if (byte === 0x7d && --depth === 0) return i + 1
  }
  return bytes.length
}

interface Output {
  name: string
  datatype: string
  shape: number[]
  data?: unknown
  parameters?: { binary_data_size?: unknown }
}

function readOutputs(parsed: BodyDocument | Problem, binary: Buffer, keep?: KeepDigits): BodyDocument | Problem {
  if (parsed.kind === 'problem') return parsed
  const outputs = (parsed.document as { outputs?: unknown } | null)?.outputs
  if (!Array.isArray(outputs) || outputs.length > outputsMax) {
    return problem('format', '', 'an Open Inference Protocol response with outputs', describe(parsed.document))
  }
  const tensors: [string, unknown][] = []
  let offset = 0
  for (const [i, output] of outputs.entries()) {
    if (!isOutput(output)) {
      return problem('format', `/outputs/${i}`, 'an output with name, datatype and shape', describe(output))
    }
    const size = output.parameters?.binary_data_size
    const isBinary = Number.isInteger(size) && (size as number) >= 0
    if (isBinary && offset + (size as number) > binary.length) {
      return problem('format', `/outputs/${i}`, `${size} bytes of data`, `${binary.length - offset}`)
    }
    const elements = isBinary
      ? readTensor(output.datatype, binary.subarray(offset, offset + (size as number)), keep)
      : flatten(output.data)
    if (isBinary) offset += size as number
    const wanted = output.shape.reduce((product, size) => product * size, 1)
    if (elements === null || elements.length !== wanted) {
      const found = elements === null ? `none of ${output.datatype}` : String(elements.length)
      return problem('shape', `/outputs/${i}`, `${wanted} elements, as its shape says`, found)
    }
    tensors.push([output.name, shaped(elements, output.shape)])
  }
  return { kind: 'document', document: Object.fromEntries(tensors) }
}

function isOutput(output: unknown): output is Output {
  if (typeof output !== 'object' || output === null) return false
  const { name, datatype, shape } = output as Partial<Output>
  return (
    typeof name === 'string' &&
    typeof datatype === 'string' &&
    Array.isArray(shape) &&
    shape.length <= dimensionsMax &&
    shape.every((size) => Number.isInteger(size) && size >= 0 && size <= elementsMax)
  )
}

function shaped(elements: unknown[], shape: number[]): unknown {
  if (shape.length === 0) return elements[0]
  if (elements.length === 0) return []
  let level = elements
  for (const size of shape.slice(1).reverse()) {
    const rows: unknown[][] = []
    for (let at = 0; at < level.length; at += size) rows.push(level.slice(at, at + size))
    level = rows
  }
  return level
}
