/**
 * What ONNX Runtime says of a failure without the place in its own source, which is as long as what clients are told of
 * an error at most: `reshape_helper.h:91 onnxruntime::ReshapeHelper::ReshapeHelper(const …, bool)`.
 */
export const runtimeMessage = (error: unknown): string =>
  (error as Error).message.replaceAll(/\/onnxruntime_src\/\S+:\d+ [^)]*\)(?:::<lambda\(\)>)? /g, '').trim()
