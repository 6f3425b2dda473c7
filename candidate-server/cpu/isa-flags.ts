import { readSysFile } from './sys-file.ts'

const interesting = [
  'avx2',
  'avx512f',
  'avx_vnni',
  'avx512_vnni',
  'avx512_bf16',
  'amx_int8',
  'amx_bf16',
  'asimddp',
  'i8mm',
  'sve',
]

/** CPU instructions that decide a model's speed and, for int8, its accuracy; [] if unknown. */
export function isaFlags(): string[] {
  const flags = new Set(/^(?:flags|Features)\s*:\s*(.*)$/m.exec(readSysFile('/proc/cpuinfo') ?? '')?.[1]?.split(' '))
  return interesting.filter((flag) => flags.has(flag))
}
