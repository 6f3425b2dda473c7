import { candidateServerSchema } from '../../candidate-server/config.ts'
import { comparatorSchema } from '../../comparator/config.ts'
import { mirrorSchema } from '../../mirror/config.ts'
import { checkFile } from '../../runtime/config/load-config.ts'
import { ConfigError } from '../../runtime/config/problem.ts'
import { exitCodes } from '../failure.ts'
import { printJson } from '../print-json.ts'
import { problemsBetween } from './problems-between.ts'

const schemas = { mirror: mirrorSchema, candidateServer: candidateServerSchema, comparator: comparatorSchema }

export interface CheckOptions {
  json?: true
}

export function checkConfig(file: string, { json }: CheckOptions): void {
  const { sections, problems } = checkFile(file, schemas, process.env, problemsBetween)
  if (json) printJson({ sections, problems })
  else if (problems.length === 0) process.stdout.write(`${file}: valid (${sections.join(', ')})\n`)
  else process.stdout.write(`${new ConfigError(file, problems).message}\n`)
  process.exitCode = problems.length === 0 ? exitCodes.ok : exitCodes.usage
}
