import { badInput } from '../errors.ts'
import { describeValue } from '../tensor/describe-value.ts'
import type { ModelInfo } from '../tensor/model-info.ts'
import { type Json, objectAt } from './json-body.ts'
import { booleanParameter, countParameter, type Parameters, parametersOf } from './parameters.ts'

/** One output as the client requests it. */
export interface RequestedOutput {
  name: string
  binary: boolean
  /** How many of the highest scores to return as `score:index:label` instead of the tensor; 0 returns the tensor. */
  classes: number
}

/** In the order that the client asks for; if it names none, all outputs in the model's order. */
export function requestedOutputs(document: Json, parameters: Parameters, info: ModelInfo): RequestedOutput[] {
  const binaryByDefault = booleanParameter(parameters, 'binary_data_output', 'parameters') ?? false
  const outputs = document.outputs ?? undefined
  if (outputs === undefined || (Array.isArray(outputs) && outputs.length === 0)) {
    return allOutputs(info, binaryByDefault)
  }
  if (!Array.isArray(outputs)) throw badInput('outputs: expected an array of {"name"}')
  const requested = new Map<string, RequestedOutput>()
  for (const [i, value] of outputs.entries()) {
    const place = `outputs[${i}]`
    const output = parseOutput(objectAt(value, place), place, info, binaryByDefault)
    if (requested.has(output.name)) throw badInput(`${place}: ${output.name} is there twice`)
    requested.set(output.name, output)
  }
  return [...requested.values()]
}

export const allOutputs = (info: ModelInfo, binary: boolean): RequestedOutput[] =>
  info.outputs.map(({ name }) => ({ name, binary, classes: 0 }))

function parseOutput(output: Json, place: string, info: ModelInfo, binaryByDefault: boolean): RequestedOutput {
  const declared = info.outputs.find(({ name }) => name === output.name)
  if (!declared) {
    const names = info.outputs.map(({ name }) => name).join(', ')
    throw badInput(`${place}.name: expected one of ${names}, got ${describeValue(output.name)}`)
  }
  const parameters = parametersOf(output, place)
  const classes = countParameter(parameters, 'classification', `${place}.parameters`) ?? 0
  if (classes > 0 && (declared.type === 'string' || declared.type === 'bool')) {
    throw badInput(`${place}.parameters.classification: ${declared.name} holds no scores; leave the parameter out`)
  }
  return {
    name: declared.name,
    binary: booleanParameter(parameters, 'binary_data', `${place}.parameters`) ?? binaryByDefault,
    classes,
  }
}
