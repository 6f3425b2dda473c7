import { isaFlags } from '../cpu/isa-flags.ts'
import { writeWeightsForAmx } from './amx-weights.ts'
import { type ModelFile, readModelFile } from './model-file.ts'
import { readWhole } from './read-whole.ts'
import { writeStemInBlocks } from './stem-in-blocks.ts'

/** Rewritings of a model for this CPU that keep its answers; each is a session switch. */
const rewritings = ['amx', 'spaceToDepth'] as const
export type Rewriting = (typeof rewritings)[number]

/** A file in memory, as it is passed to the runtime. */
interface ModelForCpu {
  model: Uint8Array
  amxConvolutions: number
  stemInBlocks: boolean
}

/**
 * `undefined` if nothing is rewritten, or if the model has external data, which the runtime resolves only from a path.
 */
export function modelForCpu(
  path: string,
  { int8Convolutions, externalData }: ModelFile,
  wanted: Readonly<Record<Rewriting, boolean>>,
  isa: readonly string[] = isaFlags(),
): ModelForCpu | undefined {
  if (int8Convolutions.length === 0 || externalData.size > 0) return undefined
  const forAmx = wanted.amx && isa.includes('amx_int8')
  const forBlocks = wanted.spaceToDepth && isa.some((flag) => flag.endsWith('vnni'))
  if (!forAmx && !forBlocks) return undefined
  const file = readWhole(path)
  const amxConvolutions = forAmx ? writeWeightsForAmx(file, int8Convolutions) : 0
  const inBlocks = forBlocks ? writeStemInBlocks(file) : undefined
  if (!inBlocks && amxConvolutions === 0) return undefined
  return { model: inBlocks ?? file, amxConvolutions, stemInBlocks: inBlocks !== undefined }
}

/** The rewritings that would change something in this file on this CPU. Throws any error from reading it. */
export function rewritingsOf(path: string, isa?: readonly string[]): Rewriting[] {
  const written = modelForCpu(path, readModelFile(path), { amx: true, spaceToDepth: true }, isa)
  const changes = { amx: (written?.amxConvolutions ?? 0) > 0, spaceToDepth: written?.stemInBlocks ?? false }
  return rewritings.filter((name) => changes[name])
}
