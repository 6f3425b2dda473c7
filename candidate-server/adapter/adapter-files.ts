import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ModelConfig } from '../config/model.ts'

/** Whether `adapter:` names a user's own file. */
export const isModule = (adapter: string) => !['tensor', 'image', 'text'].includes(adapter)

export const tokenizerPath = ({ text }: ModelConfig, modelPath: string, resolvePath: (path: string) => string) =>
  text?.tokenizer === undefined ? resolve(dirname(modelPath), 'tokenizer.json') : resolvePath(text.tokenizer)

/** The files besides the model's own that its answers depend on. Imports of a user's module are not included. */
function adapterFiles(config: ModelConfig, modelPath: string, resolvePath: (path: string) => string): string[] {
  switch (config.adapter) {
    case 'tensor':
    case 'image':
      return []
    case 'text': {
      const tokenizer = tokenizerPath(config, modelPath, resolvePath)
      return [tokenizer, join(dirname(tokenizer), 'tokenizer_config.json')]
    }
    default:
      return [resolvePath(config.adapter)]
  }
}

/**
 * Combines the model file's `digest` with the adapter's files into a new `sha256:`; returns `digest` if there are none.
 */
export function digestWithAdapter(
  digest: string,
  config: ModelConfig,
  modelPath: string,
  resolvePath: (path: string) => string,
): string {
  const files = adapterFiles(config, modelPath, resolvePath).filter((file) => existsSync(file))
  if (files.length === 0) return digest
  const hash = createHash('sha256').update(digest)
  for (const file of files) {
    const bytes = readFileSync(file)
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return `sha256:${hash.digest('hex')}`
}
