import { block, fieldsIn, findStem, type Node, type Stem } from './find-stem.ts'
import { attribute, attributeTypes, dataTypes, graph, node, model as onnxModel, tensor } from './onnx-fields.ts'
import { bytesField, type Field, intField, message, textField } from './protobuf-fields.ts'

/** Fields to replace, each with its new bytes. */
interface Edit {
  field: Field
  bytes: Uint8Array
}

/**
 * Image models begin with a stride-2 convolution over three channels, a few per cent of their arithmetic. ONNX Runtime
 * (1.30) has no 8-bit kernel for three channels and spends three times that share on it. If each block of 2 × 2 pixels
 * becomes one position with twelve channels (SpaceToDepth) and the weights are reordered to match, with zeros where a
 * block extends beyond the kernel, the sums are the same and answers stay identical to the bit. Returns the model with
 * that convolution rewritten; `undefined` if it has none known to qualify.
 */
export function writeStemInBlocks(model: Uint8Array): Uint8Array | undefined {
  const whole = [...fieldsIn(model, { from: 0, to: model.length })].find(({ number }) => number === onnxModel.graph)
  if (!whole) return undefined
  const stem = findStem(model, whole)
  return stem && splice(model, whole, editsOf(model, stem))
}

function editsOf(model: Uint8Array, { conv, dequantize, weights, weightsName, axes }: Stem): Edit[] {
  const [image = '', ...scaleAndZero] = dequantize.inputs
  const [x] = dequantize.outputs
  const [inBlocks, dequantized] = [`${x}_quantized_in_blocks`, `${x}_in_blocks`]
  const keptOf = ({ field }: Node, ...dropped: number[]) =>
    [...fieldsIn(model, field)].filter(({ number }) => !dropped.includes(number)).map((part) => bytesOf(model, part))
  const [down, across] = axes
  const geometry: Record<string, number[]> = {
    strides: [1, 1],
    pads: [down.before, across.before, down.after, across.after],
    kernel_shape: [down.blocks, across.blocks],
  }
  return [
    {
      field: dequantize.field,
      bytes: message([
        nodeField([
          textField(node.opType, 'SpaceToDepth'),
          textField(node.input, image),
          textField(node.output, inBlocks),
          integerAttribute('blocksize', block),
        ]),
        nodeField([
          ...keptOf(dequantize, node.input, node.output, node.name),
          ...[inBlocks, ...scaleAndZero].map((input) => textField(node.input, input)),
          textField(node.output, dequantized),
        ]),
      ]),
    },
    {
      field: conv.field,
      bytes: nodeField([
        ...keptOf(conv, node.input, node.attribute),
        ...[dequantized, ...conv.inputs.slice(1)].map((input) => textField(node.input, input)),
        ...Object.entries(geometry).map(([name, values]) => integersAttribute(name, values)),
      ]),
    },
    {
      field: weights.field,
      bytes: bytesField(
        graph.initializer,
        message([
          ...[weights.dims[0]!, weights.dims[1]! * block * block, down.blocks, across.blocks].map((size) =>
            intField(tensor.dims, size),
          ),
          intField(tensor.dataType, dataTypes.int8),
          textField(tensor.name, weightsName),
          bytesField(
            tensor.rawData,
            inBlocksOf(model.subarray(weights.raw!.from, weights.raw!.to), weights.dims, axes),
          ),
        ]),
      ),
    },
  ]
}

const bytesOf = (model: Uint8Array, { at, to }: Field) => model.subarray(at, to)
const nodeField = (parts: readonly Uint8Array[]) => bytesField(graph.node, message(parts))

const integerAttribute = (name: string, value: number) =>
  bytesField(
    node.attribute,
    message([
      textField(attribute.name, name),
      intField(attribute.type, attributeTypes.int),
      intField(attribute.i, value),
    ]),
  )

const integersAttribute = (name: string, values: readonly number[]) =>
  bytesField(
    node.attribute,
    message([
      textField(attribute.name, name),
      intField(attribute.type, attributeTypes.ints),
      ...values.map((value) => intField(attribute.ints, value)),
    ]),
  )

/**
 * Reorders weights from outputs × channels × rows × columns to outputs × (row in block × column in block × channel) ×
 * block rows × block columns, the order of SpaceToDepth's channels.
 */
function inBlocksOf(weights: Uint8Array, [outputs, channels]: number[], [down, across]: Stem['axes']): Uint8Array {
  const moved = new Uint8Array(outputs! * block * block * channels! * down.blocks * across.blocks)
  for (let from = 0; from < weights.length; from++) {
    const column = (from % across.kernel) + across.front
    const row = (Math.floor(from / across.kernel) % down.kernel) + down.front
    const plane = Math.floor(from / (across.kernel * down.kernel))
    const [channel, output] = [plane % channels!, Math.floor(plane / channels!)]
    const placeInBlock = (row % block) * block + (column % block)
    const to =
      ((output * block * block + placeInBlock) * channels! + channel) * down.blocks * across.blocks +
      Math.floor(row / block) * across.blocks +
      Math.floor(column / block)
    moved[to] = weights[from]!
  }
  return moved
}

/** The model with some fields of its graph replaced. */
function splice(model: Uint8Array, whole: Field, edits: readonly Edit[]): Uint8Array {
  const replaced = edits.toSorted((one, other) => one.field.at - other.field.at)
  const parts: Uint8Array[] = []
  let at = whole.from
  for (const { field, bytes } of replaced) {
    parts.push(model.subarray(at, field.at), bytes)
    at = field.to
  }
  parts.push(model.subarray(at, whole.to))
  return message([model.subarray(0, whole.at), bytesField(onnxModel.graph, message(parts)), model.subarray(whole.to)])
}
