/**
 * ONNX Runtime's error message without the location in its own source, which alone would fill the length that clients
 * are shown: `reshape_helper.h:91 onnxruntime::ReshapeHelper::ReshapeHelper(const …, bool)`.
 */
export const runtimeMessage = (error: unknown): string =>
  (error as Error).message.replaceAll(/\/onnxruntime_src\/\S+:\d+ [^)]*\)(?:::<lambda\(\)>)? /g, '').trim()
