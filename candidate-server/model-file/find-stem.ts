import { attribute, dataTypes, graph, node, tensor, valueInfo } from './onnx-fields.ts'
import { type Field, fieldsOf } from './protobuf-fields.ts'

/** Pixels per side of a block: two rows of two. */
export const block = 2
/** With four or more channels, the runtime's kernels have enough work per position. */
const channelsMax = 3
const keepsShape = new Set(['Cast', 'Sub', 'Add', 'Mul', 'Div', 'QuantizeLinear', 'DequantizeLinear', 'Identity'])

export interface Node {
  field: Field
  /** The operator's name; prefixed with its domain unless it is a standard one. */
  op: string
  inputs: string[]
  outputs: string[]
  /** Integer values; the list is empty for attributes of other kinds. */
  attributes: Map<string, number[]>
}

interface Constant {
  field: Field
  dims: number[]
  type: number
  raw: Field | undefined
  /** Used instead of `raw`. */
  varints: Field | undefined
}

/** A first convolution that can be computed in blocks. */
export interface Stem {
  conv: Node
  dequantize: Node
  weights: Constant
  weightsName: string
  /** Vertical, horizontal. */
  axes: readonly [Axis, Axis]
}

/** How the kernel is divided into blocks along one axis. */
interface Axis {
  /** Kernel size in pixels. */
  kernel: number
  /** Zeros before the kernel, so that it begins at a block boundary. */
  front: number
  /** Kernel size in blocks. */
  blocks: number
  /** Padding in blocks. */
  before: number
  after: number
}

/** The first convolution in a model's `graph` that is known to give the same answers when it is computed in blocks. */
export const findStem = (model: Uint8Array, whole: Field): Stem | undefined => new StemReader(model, whole).stem()

export function* fieldsIn(bytes: Uint8Array, { from, to }: { from: number; to: number }): Generator<Field> {
  yield* fieldsOf({ byte: (at) => bytes[at]! }, from, to)
}

class StemReader {
  readonly #model: Uint8Array
  readonly #nodes: Node[] = []
  readonly #producers = new Map<string, Node>()
  readonly #constants = new Map<string, Constant>()
  /** How often each value is used, by nodes or as a graph output. */
  readonly #uses = new Map<string, number>()
  /** A node that uses each value. */
  readonly #users = new Map<string, Node>()
  /** Graphs nested in nodes may use any value, and are not read. */
  #hasGraphsWithin = false
  /** Shapes of the graph's inputs; -1 for a dynamic size. */
  readonly #shapes = new Map<string, number[]>()

  constructor(model: Uint8Array, whole: Field) {
    this.#model = model
    for (const field of this.#fields(whole)) {
      if (field.number === graph.node) this.#readNode(field)
      else if (field.number === graph.initializer) this.#readConstant(field)
      else if (field.number === graph.input) this.#readInput(field)
      else if (field.number === graph.output) this.#use(this.#nameOf(field))
    }
  }

  stem(): Stem | undefined {
    if (this.#hasGraphsWithin) return undefined
    for (const conv of this.#nodes) {
      const stem = conv.op === 'Conv' ? this.#stemOf(conv) : undefined
      if (stem) return stem
    }
    return undefined
  }

  #stemOf(conv: Node): Stem | undefined {
    const [x = '', w = ''] = conv.inputs
    const dequantize = this.#producers.get(x)
    const ofWeights = this.#producers.get(w)
    if (dequantize?.op !== 'DequantizeLinear' || ofWeights?.op !== 'DequantizeLinear') return undefined
    if (this.#uses.get(x) !== 1 || this.#uses.get(w) !== 1) return undefined
    const [weightsName = '', scales = '', zeroPoints = ''] = ofWeights.inputs
    const weights = this.#constants.get(weightsName)
    if (!weights || this.#uses.get(weightsName) !== 1 || !isStemKernel(weights) || !isStrideTwo(conv)) return undefined
    // a scale for each block of weights would have more dimensions
    const isOneEach = ofWeights.attributes.get('axis')?.[0] === 0 && this.#constants.get(scales)?.dims.length === 1
    if (!(isOneEach || this.#isOneNumber(scales)) || !this.#isZero(zeroPoints)) return undefined
    const [image = '', scale = '', zeroPoint = ''] = dequantize.inputs
    if (!this.#isUint8(zeroPoint) || !this.#givesUint8(conv)) return undefined
    const [, , height = 0, width = 0] = (this.#isOneNumber(scale) && this.#imageBehind(image)) || []
    const [top = 0, left = 0, bottom = 0, right = 0] = conv.attributes.get('pads') ?? []
    const down = axisOf(height, weights.dims[2]!, top, bottom)
    const across = axisOf(width, weights.dims[3]!, left, right)
    return down && across && { conv, dequantize, weights, weightsName, axes: [down, across] }
  }

  /**
   * Whether the runtime makes one 8-bit operator of `conv` and the quantization after it. Otherwise it adds floats, whose
   * sums depend on their order.
   */
  #givesUint8(conv: Node): boolean {
    const next = this.#onlyUser(conv)
    const relu = next?.op === 'Relu' ? next : undefined
    const quantize = relu ? this.#onlyUser(relu) : next
    const [, , zeroPoint = ''] = quantize?.inputs ?? []
    // with zero as the least value, quantization does what the Relu does
    return quantize?.op === 'QuantizeLinear' && this.#isUint8(zeroPoint) && (!relu || this.#isZero(zeroPoint))
  }

  #onlyUser({ outputs: [output = ''] }: Node): Node | undefined {
    return this.#uses.get(output) === 1 ? this.#users.get(output) : undefined
  }

  /** Shape of the graph input behind `name`, if no operator on the way changes it. */
  #imageBehind(name: string): number[] | undefined {
    let from = name
    for (let producer = this.#producers.get(from); producer; producer = this.#producers.get(from)) {
      if (!keepsShape.has(producer.op)) return undefined
      from = producer.inputs[0]!
    }
    const shape = this.#shapes.get(from)
    return shape?.length === 4 ? shape : undefined
  }

  #isOneNumber(name: string): boolean {
    return this.#constants.get(name)?.dims.length === 0
  }

  #isUint8(zeroPoint: string): boolean {
    return this.#constants.get(zeroPoint)?.type === dataTypes.uint8
  }

  #isZero(name: string): boolean {
    if (name === '') return true
    const { dims = [], raw, varints } = this.#constants.get(name) ?? {}
    const values = raw ?? varints
    // a zero takes one byte in either form
    if (values?.to !== (values?.from ?? 0) + product(dims)) return false
    return this.#model.subarray(values.from, values.to).every((byte) => byte === 0)
  }

  #fields = (field: Field) => fieldsIn(this.#model, field)
  #text = ({ from, to }: Field) => Buffer.from(this.#model.subarray(from, to)).toString('utf8')

  #readNode(field: Field): void {
    const read: Node = { field, op: '', inputs: [], outputs: [], attributes: new Map() }
    let domain = ''
    for (const part of this.#fields(field)) {
      if (part.number === node.input) read.inputs.push(this.#text(part))
      else if (part.number === node.output) read.outputs.push(this.#text(part))
      else if (part.number === node.opType) read.op = this.#text(part)
      else if (part.number === node.domain) domain = this.#text(part)
      else if (part.number === node.attribute) this.#readAttribute(part, read.attributes)
    }
    if (domain !== '' && domain !== 'ai.onnx') read.op = `${domain}.${read.op}`
    this.#nodes.push(read)
    for (const input of read.inputs) {
      this.#use(input)
      this.#users.set(input, read)
    }
    for (const output of read.outputs) this.#producers.set(output, read)
  }

  #use(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
  }

  #readAttribute(field: Field, into: Map<string, number[]>): void {
    let name = ''
    const values: number[] = []
    for (const part of this.#fields(field)) {
      if (part.number === attribute.name) name = this.#text(part)
      else if (part.number === attribute.i || part.number === attribute.ints) values.push(part.value)
      else if (part.number === attribute.graph || part.number === attribute.graphs) this.#hasGraphsWithin = true
    }
    into.set(name, values)
  }

  #readConstant(field: Field): void {
    let name = ''
    const read: Constant = { field, dims: [], type: 0, raw: undefined, varints: undefined }
    for (const part of this.#fields(field)) {
      if (part.number === tensor.name) name = this.#text(part)
      else if (part.number === tensor.dims) read.dims.push(part.value)
      else if (part.number === tensor.dataType) read.type = part.value
      else if (part.number === tensor.rawData) read.raw = part
      else if (part.number === tensor.int32Data) read.varints = part
    }
    this.#constants.set(name, read)
  }

  #readInput(field: Field): void {
    const { type, tensorType, shape, dim, size } = valueInfo
    const sizes = this.#within(field, type, tensorType, shape, dim).map(
      (one) => this.#within(one, size)[0]?.value ?? -1,
    )
    this.#shapes.set(this.#nameOf(field), sizes)
  }

  #nameOf(field: Field): string {
    const [name] = this.#within(field, valueInfo.name)
    return name ? this.#text(name) : ''
  }

  /** The fields at the end of a path of nested messages. */
  #within(field: Field, next: number, ...further: number[]): Field[] {
    const found = [...this.#fields(field)].filter(({ number }) => number === next)
    const [first, ...rest] = further
    return first === undefined ? found : found.flatMap((one) => this.#within(one, first, ...rest))
  }
}

const isStemKernel = ({ dims, type, raw }: Constant) =>
  type === dataTypes.int8 &&
  dims.length === 4 &&
  dims[1]! <= channelsMax &&
  raw !== undefined &&
  raw.to - raw.from === product(dims)

const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1)

/** Whether this is a plain stride-2 convolution; any attribute not known to be harmless rules it out. */
function isStrideTwo({ attributes }: Node): boolean {
  const harmless: Record<string, (values: number[]) => boolean> = {
    strides: (values) => values.length === 2 && values.every((stride) => stride === block),
    dilations: (values) => values.every((dilation) => dilation === 1),
    group: ([groups]) => groups === 1,
    pads: (values) => values.length === 4,
    kernel_shape: () => true,
  }
  return attributes.has('strides') && [...attributes].every(([name, values]) => harmless[name]?.(values))
}

/** `undefined` if the image is not a whole number of blocks. */
function axisOf(size: number, kernel: number, before: number, after: number): Axis | undefined {
  if (size <= 0 || size % block !== 0) return undefined
  const front = before % block
  const blocks = Math.ceil((front + kernel) / block)
  const blocksBefore = (before + front) / block
  const outputs = Math.floor((size + before + after - kernel) / block) + 1
  return { kernel, front, blocks, before: blocksBefore, after: outputs - size / block - blocksBefore + blocks - 1 }
}
