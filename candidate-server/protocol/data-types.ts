import { badInput } from '../errors.ts'
import { describeValue } from '../tensor/describe-value.ts'
import { type ElementType, elementTypes } from '../tensor/tensor.ts'

const typeNames = new Map<unknown, ElementType>([
  ...Object.entries(elementTypes).map(([type, { protocolName }]) => [protocolName, type as ElementType] as const),
  ['BYTES', 'string'],
])

/** Maps the protocol's name of a type to ours. Throws a 400. */
export function elementTypeOf(datatype: unknown, place: string): ElementType {
  const type = typeNames.get(datatype)
  if (type) return type
  if (datatype === 'BF16') {
    throw badInput(
      `${place}: BF16 is not served, as ONNX Runtime has no bfloat16 on a CPU; export the model as float32 or float16, and send FP32 or FP16`,
    )
  }
  throw badInput(`${place}: expected one of ${[...typeNames.keys()].join(', ')}, got ${describeValue(datatype)}`)
}
