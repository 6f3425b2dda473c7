import { closeSync, openSync, readSync } from 'node:fs'

/** Files that people supply instead of ONNX, recognised by how they begin, with how to convert them. */
const kinds: [begins: RegExp, kind: string, remedy: string][] = [
  [/^$/, 'an empty file', 'copy the model again'],
  [/^version https:\/\/git-lfs/, 'a pointer of Git LFS', 'fetch the file itself: git lfs pull'],
  [/^PK/, 'a zip archive, as .pt and .keras files are', 'export the model: torch.onnx.export, or tf2onnx'],
  [/^\x80/, 'a Python pickle', 'export the model: skl2onnx.to_onnx, onnxmltools, or torch.onnx.export'],
  // gzip begins with a control character, which a pattern must not contain
  [/^(.\x8b|x[\^\x9c\xda])/s, 'compressed', 'unpack it; if it is a joblib file, export the model: skl2onnx.to_onnx'],
  [/^\x89HDF\r\n/, 'an HDF5 file, as Keras saves models', 'export the model: tf2onnx'],
  [/^.{4}TFL3/s, 'a TensorFlow Lite file', 'convert it: tf2onnx --tflite'],
  [/^.{4}ORTM/s, 'a file in the ORT format', 'serve the .onnx file that it was made of'],
  [
    /^.{8}\{"/s,
    'a safetensors file, weights without a graph',
    'export the model: torch.onnx.export, or optimum-cli export onnx',
  ],
  [/^tree\n/, 'a LightGBM model', 'convert it: onnxmltools.convert_lightgbm(…, zipmap=False)'],
  [/^\s*<(?!\?xml)/, 'a web page', 'download the file itself'],
  [/^\s*<\?xml/, 'XML, as OpenVINO has models', 'serve the .onnx file that it was made of'],
  [/^\s*\{/, 'JSON or UBJSON, as XGBoost saves models', 'convert it: onnxmltools.convert_xgboost'],
]
const headBytes = 64

/** Why a file is no model, and what to do; `error` is from `readModelFile`. */
export const notAModel = (path: string, error: RangeError): string =>
  `${path} is not a model that ONNX Runtime can load: ${foreignFile(path) ?? `${error.message}; check that it is an ONNX file, and copied whole`}`

/** Describes a file of a known other kind and how to convert it; `undefined` if the kind is unknown. */
function foreignFile(path: string): string | undefined {
  const head = headOf(path)
  const found = kinds.find(([begins]) => begins.test(head))
  return found && `it is ${found[1]}; ${found[2]}`
}

function headOf(path: string): string {
  const head = Buffer.alloc(headBytes)
  const fd = openSync(path, 'r')
  try {
    return head.toString('latin1', 0, readSync(fd, head))
  } finally {
    closeSync(fd)
  }
}
