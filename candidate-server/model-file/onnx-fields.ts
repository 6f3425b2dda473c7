// Field numbers and enum values of onnx.proto3 that are read or written here.

export const dataTypes = { uint8: 2, int8: 3, bfloat16: 16 } as const
export const attributeTypes = { int: 2, ints: 7 } as const

export const model = { irVersion: 1, graph: 7, opsetImport: 8, functions: 25 } as const
export const opsetId = { domain: 1, version: 2 } as const
export const graph = { node: 1, initializer: 5, input: 11, output: 12 } as const
export const functionNode = 7
export const node = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const
export const attribute = { name: 1, i: 3, tensor: 5, graph: 6, ints: 8, tensors: 10, graphs: 11, type: 20 } as const
export const tensor = { dims: 1, dataType: 2, int32Data: 5, name: 8, rawData: 9, externalData: 13 } as const
export const entry = { key: 1, value: 2 } as const
/** From `type` on, each field lies within the one before. */
export const valueInfo = { name: 1, type: 2, tensorType: 1, shape: 2, dim: 1, size: 1 } as const
/** Within a value's type: a list (sequence), and the type of its elements. */
export const sequence = { type: 4, elementType: 1 } as const
