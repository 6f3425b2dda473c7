import { isaFlags } from '../cpu/isa-flags.ts'
import type { SessionConfig } from '../instance/session-config.ts'
import { writeWeightsForAmx } from './amx-weights.ts'
import { type ModelFile, readModelFile } from './model-file.ts'
import { readWhole } from './read-whole.ts'
import { writeStemInBlocks } from './stem-in-blocks.ts'

/** How a model's file is written otherwise for this CPU, with the same answers: each a switch of its session. */
const rewritings = ['amx', 'spaceToDepth'] as const
export type Rewriting = (typeof rewritings)[number]

/** A file as the runtime is given it, in memory. */
interface ModelForCpu {
  model: Uint8Array
  amxConvolutions: number
  stemInBlocks: boolean
}

/** `undefined` where nothing of it is otherwise, or where it names other files, which the runtime finds beside a path alone. */
export function modelForCpu(
  path: string,
  { int8Convolutions, externalData }: ModelFile,
  wanted: Pick<SessionConfig, Rewriting>,
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

/** Those that would change something of this file here. Throws what reading throws. */
export function rewritingsOf(path: string, isa?: readonly string[]): Rewriting[] {
  const written = modelForCpu(path, readModelFile(path), { amx: true, spaceToDepth: true }, isa)
  const changes = { amx: (written?.amxConvolutions ?? 0) > 0, spaceToDepth: written?.stemInBlocks ?? false }
  return rewritings.filter((name) => changes[name])
}
