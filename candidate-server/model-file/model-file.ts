import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Bytes } from '../../vocabulary/units.ts'
import type { Int8Weights } from './amx-weights.ts'
import {
  attribute,
  dataTypes,
  entry,
  functionNode,
  graph,
  model,
  node,
  opsetId,
  sequence,
  tensor,
  valueInfo,
} from './onnx-fields.ts'
import { type Field, FileWindow, fieldsOf } from './protobuf-fields.ts'

type Quantization = 'none' | 'QDQ' | 'QOperator' | 'dynamic'

/** Activations, then weights: unsigned or signed. S7 means signed weights within ±64, as `reduce_range` produces. */
type Int8Format = `${'U8' | 'S8'}${'S8' | 'S7' | 'U8'}`

/** What an ONNX file declares, read without loading it into a runtime. */
export interface ModelFile {
  irVersion: number
  /** Version of the standard operators; 0 if the file does not declare one. */
  opset: number
  quantization: Quantization
  /** `null` if the model is not quantized to 8 bits, or has both kinds of weights. */
  int8: Int8Format | null
  usesBfloat16: boolean
  /** Inputs and outputs without a declared number of dimensions, including those of branches and loops. */
  unranked: Set<string>
  /** Inputs and outputs that are lists of tensors. */
  tensorLists: Set<string>
  /** Its convolutions with signed 8-bit weights that are stored in the file and used only once. */
  int8Convolutions: Int8Weights[]
  /** External weight files by name, each with the size it must have. */
  externalData: Map<string, Bytes>
}

/** Position of the weights among the inputs of each operator that has 8-bit ones. */
const weightInputs: Record<string, number> = {
  DequantizeLinear: 0,
  MatMulInteger: 1,
  ConvInteger: 1,
  MatMulIntegerToFloat: 1,
  DynamicQuantizeMatMul: 1,
  QLinearConv: 3,
  QLinearMatMul: 3,
  QGemm: 3,
}
const dynamicOperators = ['DynamicQuantizeLinear', 'DynamicQuantizeMatMul', 'DynamicQuantizeLSTM']

/** Reads the structure and skips the weights. Throws a `RangeError` if the file is not a protobuf message. */
export function readModelFile(path: string): ModelFile {
  const fd = openSync(path, 'r')
  try {
    return new ModelReader(new FileWindow(fd, fstatSync(fd).size)).read()
  } finally {
    closeSync(fd)
  }
}

interface Int8Tensor {
  type: number
  /** Size of the first dimension; 0 if there is none. */
  rows: number
  /** Position of the elements within the file, as bytes or varints. */
  raw: Field | undefined
  varints: Field | undefined
}

class ModelReader {
  readonly #window: FileWindow
  readonly #opsets = new Map<string, number>()
  readonly #operators = new Set<string>()
  readonly #bytesOf = new Map<string, Int8Tensor>()
  readonly #weights: string[] = []
  readonly #zeroPoints: (string | undefined)[] = []
  readonly #externalData = new Map<string, Bytes>()
  /** How often each value is used, by nodes or as a graph input or output. */
  readonly #uses = new Map<string, number>()
  /** Weights, scales and zero points, by the value that a DequantizeLinear computes from them. */
  readonly #dequantized = new Map<string, readonly string[]>()
  /** For each convolution, those three names or the name of the dequantized value. */
  readonly #convolutions: (readonly string[] | string)[] = []
  readonly #unranked = new Set<string>()
  readonly #tensorLists = new Set<string>()
  #usesBfloat16 = false

  constructor(window: FileWindow) {
    this.#window = window
  }

  read(): ModelFile {
    let irVersion = 0
    let hasGraph = false
    for (const field of fieldsOf(this.#window, 0, this.#window.size)) {
      if (field.number === model.irVersion) irVersion = field.value
      else if (field.number === model.opsetImport) this.#readOpset(field)
      else if (field.number === model.graph) {
        hasGraph = true
        this.#readGraph(field)
      } else if (field.number === model.functions) this.#readNodes(field, functionNode)
    }
    if (!hasGraph) throw new RangeError('no graph is in it')
    return {
      irVersion,
      opset: this.#opsets.get('') ?? this.#opsets.get('ai.onnx') ?? 0,
      quantization: this.#quantization(),
      int8: this.#int8Format(),
      usesBfloat16: this.#usesBfloat16,
      unranked: this.#unranked,
      tensorLists: this.#tensorLists,
      int8Convolutions: this.#int8Convolutions(),
      externalData: this.#externalData,
    }
  }

  #text = ({ from, to }: Field) => this.#window.text(from, to)
  #fields = ({ from, to }: Field) => fieldsOf(this.#window, from, to)

  #readOpset(within: Field): void {
    let domain = ''
    let version = 0
    for (const field of this.#fields(within)) {
      if (field.number === opsetId.domain) domain = this.#text(field)
      else if (field.number === opsetId.version) version = field.value
    }
    this.#opsets.set(domain, version)
  }

  #readGraph(within: Field, isInner = false): void {
    for (const field of this.#fields(within)) {
      if (field.number === graph.initializer) this.#readTensor(field)
      else if (field.number === graph.input || field.number === graph.output) this.#readValueInfo(field, isInner)
    }
    this.#readNodes(within, graph.node)
  }

  #readNodes(within: Field, number: number): void {
    for (const field of this.#fields(within)) if (field.number === number) this.#readNode(field)
  }

  #readNode(within: Field): void {
    const inputs: string[] = []
    let operator = ''
    let output = ''
    for (const field of this.#fields(within)) {
      if (field.number === node.input) inputs.push(this.#text(field))
      else if (field.number === node.output) output ||= this.#text(field)
      else if (field.number === node.opType) operator = this.#text(field)
      else if (field.number === node.attribute) this.#readAttribute(field)
    }
    this.#operators.add(operator)
    for (const input of inputs) this.#use(input)
    if (operator === 'DequantizeLinear') this.#dequantized.set(output, inputs)
    else if (operator === 'Conv') this.#convolutions.push(inputs[1] ?? '')
    else if (operator === 'QLinearConv') this.#convolutions.push(inputs.slice(3, 6))
    const weight = weightInputs[operator]
    if (weight !== undefined && inputs[weight]) this.#weights.push(inputs[weight])
    if (operator === 'QuantizeLinear') this.#zeroPoints.push(inputs[2])
  }

  #use(name: string): void {
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1)
  }

  #readAttribute(within: Field): void {
    for (const field of this.#fields(within)) {
      if (field.number === attribute.tensor || field.number === attribute.tensors) this.#readTensor(field)
      else if (field.number === attribute.graph || field.number === attribute.graphs) this.#readGraph(field, true)
    }
  }

  #readTensor(within: Field): void {
    let name = ''
    let type = 0
    let rows = 0
    let raw: Field | undefined
    let varints: Field | undefined
    const external = new Map<string, string>()
    for (const field of this.#fields(within)) {
      if (field.number === tensor.name) name = this.#text(field)
      else if (field.number === tensor.dataType) type = field.value
      else if (field.number === tensor.dims) rows ||= field.value
      else if (field.number === tensor.rawData) raw = field
      else if (field.number === tensor.int32Data) varints = field
      else if (field.number === tensor.externalData) {
        const [key, value] = this.#readEntry(field)
        external.set(key, value)
      }
    }
    if (type === dataTypes.bfloat16) this.#usesBfloat16 = true
    if (type === dataTypes.int8 || type === dataTypes.uint8) this.#bytesOf.set(name, { type, rows, raw, varints })
    const location = external.get('location')
    if (location === undefined) return
    const end = Number(external.get('offset') ?? 0) + Number(external.get('length') ?? 0)
    this.#externalData.set(location, Math.max(end, this.#externalData.get(location) ?? 0))
  }

  #readEntry(within: Field): [string, string] {
    let key = ''
    let value = ''
    for (const field of this.#fields(within)) {
      if (field.number === entry.key) key = this.#text(field)
      else if (field.number === entry.value) value = this.#text(field)
    }
    return [key, value]
  }

  /** ValueInfoProto.type → TypeProto.tensor_type → elem_type (1) and shape. */
  #readValueInfo(within: Field, isInner: boolean): void {
    let name = ''
    for (const field of this.#fields(within)) {
      if (field.number === valueInfo.name) name = this.#text(field)
      if (field.number !== valueInfo.type) continue
      for (const ofType of this.#fields(field)) {
        if (this.#isListOfTensors(ofType)) this.#tensorLists.add(name)
        if (ofType.number !== valueInfo.tensorType) continue
        const told = [...this.#fields(ofType)]
        if (told.some(({ number, value }) => number === 1 && value === dataTypes.bfloat16)) this.#usesBfloat16 = true
        // the runtime infers the inputs of a loop's body
        if (!isInner && !told.some(({ number }) => number === valueInfo.shape)) this.#unranked.add(name)
      }
    }
    this.#use(name)
  }

  #isListOfTensors(ofType: Field): boolean {
    if (ofType.number !== sequence.type) return false
    const ofElements = [...this.#fields(ofType)].filter(({ number }) => number === sequence.elementType)
    return ofElements.some((field) => [...this.#fields(field)].some(({ number }) => number === valueInfo.tensorType))
  }

  #int8Convolutions(): Int8Weights[] {
    return this.#convolutions.flatMap((taken) => {
      const [weights, , zeroPoints] = typeof taken === 'string' ? (this.#dequantized.get(taken) ?? []) : taken
      const ofWeights = this.#int8UsedOnce(weights)
      const { raw, varints } = this.#int8UsedOnce(zeroPoints) ?? {}
      const ofZeroPoints = raw ?? (varints && { ...varints, varintsAt: varints.at })
      if (!ofWeights?.raw || ofWeights.rows === 0 || !ofZeroPoints) return []
      return [{ weights: ofWeights.raw, outputs: ofWeights.rows, zeroPoints: ofZeroPoints }]
    })
  }

  #int8UsedOnce(name = '') {
    const bytes = this.#bytesOf.get(name)
    return bytes?.type === dataTypes.int8 && this.#uses.get(name) === 1 ? bytes : undefined
  }

  #quantization(): Quantization {
    if (dynamicOperators.some((operator) => this.#operators.has(operator))) return 'dynamic'
    if ([...this.#operators].some((operator) => operator.startsWith('QLinear') || operator === 'QGemm')) {
      return 'QOperator'
    }
    return this.#operators.has('DequantizeLinear') ? 'QDQ' : 'none'
  }

  /** An activation without a zero point is unsigned, by the operator's definition. */
  #int8Format(): Int8Format | null {
    const weights = this.#weights.map((name) => this.#bytesOf.get(name)).filter((weight) => weight !== undefined)
    const types = new Set(weights.map(({ type }) => type))
    if (types.size !== 1) return null
    const unsigned =
      this.#quantization() === 'dynamic' ||
      this.#zeroPoints.some((name) => !name || this.#bytesOf.get(name)?.type === dataTypes.uint8)
    const activations = unsigned ? 'U8' : 'S8'
    if (types.has(dataTypes.uint8)) return `${activations}U8`
    return weights.every(({ raw }) => raw && this.#isWithin64(raw)) ? `${activations}S7` : `${activations}S8`
  }

  #isWithin64({ from, to }: Field): boolean {
    for (const piece of this.#window.pieces(from, to)) {
      const values = new Int8Array(piece.buffer, piece.byteOffset, piece.length)
      // a callback for each of a quarter of a billion weights would take seconds
      for (let i = 0; i < values.length; i++) if (Math.abs(values[i]!) > 64) return false
    }
    return true
  }
}
