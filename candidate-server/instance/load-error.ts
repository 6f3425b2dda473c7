import { env } from 'onnxruntime-node'
import type { ModelFile } from '../model-file/model-file.ts'
import type { LoadProblem } from './messages.ts'

export class LoadError extends Error {
  readonly problem: LoadProblem

  constructor(code: LoadProblem['code'], message: string) {
    super(message)
    this.problem = { code, message }
  }
}

/** Maps the runtime's message about a model it cannot load to an error that says what to do. */
export function loadErrorOf(path: string, file: ModelFile, message: string): LoadError {
  const unsupported = (what: string) => new LoadError('MODEL_UNSUPPORTED', `${path} ${what}`)
  const found = (pattern: RegExp) => pattern.exec(message)?.[1]
  const irVersion = found(/max supported IR version: (\d+)/)
  if (irVersion) {
    return unsupported(
      `has IR version ${file.irVersion}, newer than ONNX Runtime ${env.versions.node} knows (${irVersion}); most such models are served as they are once it is set lower: model.ir_version = ${irVersion}, onnx.save`,
    )
  }
  const opset = found(/till opset (\d+)/)
  if (opset) {
    const domain = found(/for domain (\S+) is till/) ?? 'ai.onnx'
    const isMl = domain === 'ai.onnx.ml'
    const remedy = isMl
      ? `convert the model with a lower one (in skl2onnx: target_opset={'': ${file.opset}, 'ai.onnx.ml': ${opset}})`
      : 'export it with a lower opset_version, or convert it with onnx.version_converter'
    return unsupported(
      `has opset ${found(/Opset (\d+) is/)} of ${domain}, newer than ONNX Runtime ${env.versions.node} knows (${opset}); ${remedy}`,
    )
  }
  const locale = found(/Failed to construct locale with name:\s*([^:]+)/)
  if (locale) {
    return unsupported(
      `normalizes texts by the locale ${locale}, which this machine does not have; install it (on Debian: apt-get install locales, then localedef -i ${locale.split('.')[0]} -f UTF-8 ${locale}), or convert the model for one that is everywhere (in skl2onnx: options={TfidfVectorizer: {'locale': 'C.UTF-8'}})`,
    )
  }
  const large = found(/Initializer '(.*)' declares a size of \d+ bytes which exceeds/s)
  if (large !== undefined) {
    return unsupported(
      `has the weights ${large} of more than 2 GiB in one tensor, which ONNX Runtime does not take; split them in the graph (Concat of two), or save them as float16 or int8`,
    )
  }
  const custom = found(/Fatal error: (\S+?)\(-?\d+\) is not a registered function/)
  if (custom) {
    return unsupported(
      `has the operator ${custom}, which ONNX Runtime itself does not have and libraries of custom operators are not loaded; export the model without it, and do its part in an adapter`,
    )
  }
  // that the file uses it need not be the cause, so the causes that the message names come before
  if (file.usesBfloat16 || /bfloat16/i.test(message)) {
    return unsupported(
      `uses bfloat16, which ONNX Runtime's CPU provider does not run; export it as float32 or float16 (${message})`,
    )
  }
  if (/Unsupported data type|MLDataType for/.test(message)) {
    return unsupported(
      `has an input or output of an element type that is not served; cast it in the graph (${message})`,
    )
  }
  if (/NOT_IMPLEMENTED|Could not find an implementation|No Op registered|not a registered function/i.test(message)) {
    return unsupported(
      `needs an operator or a type that this ONNX Runtime's CPU provider does not have; export it without that operator, or cast that type, or try another opset than ${file.opset} (${message})`,
    )
  }
  return new LoadError(
    'MODEL_INVALID',
    `${path} is not a model that ONNX Runtime can load; check it with onnx.checker (${message})`,
  )
}
