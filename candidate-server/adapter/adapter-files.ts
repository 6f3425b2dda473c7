import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ModelConfig } from '../config.ts'

export const tokenizerPath = ({ text }: ModelConfig, modelPath: string, resolvePath: (path: string) => string) =>
  text?.tokenizer === undefined ? resolve(dirname(modelPath), 'tokenizer.json') : resolvePath(text.tokenizer)

/** Beside the model's own: the files that its answers depend on. Of a user's module, what it imports is not among them. */
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

/** `digest`: of the model's file. The same where its adapter has none, `sha256:` of it and of the adapter's files else. */
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
