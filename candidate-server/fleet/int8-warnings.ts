import type { ModelConfig } from '../config/model.ts'
import type { PlanWarning } from '../cpu/cpu-plan.ts'
import { isaFlags } from '../cpu/isa-flags.ts'
import type { LoadedModel } from '../instance/messages.ts'

/** Without these instructions the runtime adds pairs of products in 16 bits, and the sums saturate. */
export function int8Warnings({ name, session }: ModelConfig, { int8 }: LoadedModel): PlanWarning[] {
  const flags = isaFlags()
  const known = process.arch === 'x64' && flags.length > 0
  const exact =
    flags.some((flag) => flag.endsWith('vnni') || flag === 'amx_int8') || session.extra['session.x64quantprecision']
  if (!known || exact || int8 !== 'U8S8') return []
  return [
    {
      code: 'INT8_WITHOUT_VNNI',
      message: `${name} has unsigned activations and signed weights, and this CPU has no VNNI: its sums saturate, so its answers differ from those of a CPU with VNNI; quantize with reduce_range or unsigned weights, or set session.extra: { session.x64quantprecision: true }`,
    },
  ]
}
