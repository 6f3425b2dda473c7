/** Calls that other model servers take and this one does not, each with what to do instead. */
const unserved: [path: RegExp, instead: string][] = [
  [/^\/v2\/repository\/models\/./, 'models are named in the config; change it and send the server SIGHUP'],
  [/^\/v2\/(system|cuda)sharedmemory\//, 'shared memory is not served; send the data in the body'],
  [/^\/v2\/models\/.+\/generate(_stream)?$/, 'send tensors to …/infer'],
  [/^\/v2\/logging$/, 'LOG_LEVEL sets what is logged, at the start'],
  [/^\/v2\/(models\/.+\/)?trace\/setting$/, 'each answer of a model has its times in Server-Timing'],
  [/^\/v1\/models\//, 'send one row to /predictions/NAME, or tensors to /v2/models/NAME/infer'],
  [/^\/(models|explanations)(\/|$)/, 'of TorchServe’s calls, /ping and /predictions/NAME are served'],
  [/^\/invocations$/, 'send one row to /predictions/NAME, or name this path in the model’s paths:'],
]

/** What to add to a message that nothing is there. */
export function insteadOf(path: string): string {
  const known = unserved.find(([pattern]) => pattern.test(path))
  return known ? `: ${known[1]}` : ''
}
