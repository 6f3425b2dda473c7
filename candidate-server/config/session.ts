import { type StaticDecode, type TSchema, Type } from 'typebox'
import { closedOptional } from '../../runtime/config/fields.ts'

const Flag = (what: string) => Type.Optional(Type.Boolean({ description: `true or false: ${what}` }))

/**
 * ONNX Runtime's session config entries that affect speed or accuracy on a CPU. The runtime silently ignores unknown
 * keys, so a misspelt one would have no effect; only these are accepted.
 */
export const extraKeys = {
  'session.set_denormal_as_zero': Flag('are denormal floats taken as zero'),
  'session.disable_prepacking': Flag('are weights left as they lie in the file'),
  'session.dynamic_block_base': Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1024, description: 'parts that a thread’s work is cut into, 0 to 1024' }),
  ),
  'session.force_spinning_stop': Flag('do threads cease to spin when a run ends'),
  'session.intra_op.spin_duration_us': Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'how long an idle thread spins, µs, 0 to 1000000' }),
  ),
  'session.use_device_allocator_for_initializers': Flag('do weights lie outside of the arena'),
  'session.x64quantprecision': Flag('are 8-bit kernels without VNNI chosen for accuracy'),
  'session.qdqisint8allowed': Flag('may QDQ models run with signed activations'),
  'session.enable_quant_qdq_cleanup': Flag('are left-over Q and DQ pairs removed'),
  'session.disable_quant_qdq': Flag('are Q and DQ nodes run one by one, as they stand'),
  'optimization.enable_gelu_approximation': Flag('is GELU approximated'),
  'mlas.enable_gemm_fastmath_arm64_bfloat16': Flag('do float32 products run as bfloat16 on arm64'),
} as const satisfies Record<string, TSchema>

/** How ONNX Runtime creates the session: one switch per setting that the tuner varies. */
export const sessionSchema = Type.Object(
  {
    graphOptimization: Type.Enum(['disabled', 'basic', 'extended', 'layout', 'all'], {
      default: 'all',
      description: 'disabled, basic, extended, layout or all; each has what the ones before it do',
    }),
    memoryArena: Type.Boolean({
      default: true,
      description: 'true or false: does the runtime keep freed memory in an arena of its own',
    }),
    memoryPattern: Type.Boolean({
      default: true,
      description: 'true or false: is memory for a known shape planned once and taken at once',
    }),
    amx: Type.Boolean({
      default: true,
      description: 'true or false: do 8-bit convolutions run on AMX where the CPU has it',
    }),
    spaceToDepth: Type.Boolean({
      default: true,
      description: 'true or false: is an 8-bit first convolution computed in blocks of pixels where the CPU has VNNI',
    }),
    extra: Type.Object(extraKeys, {
      ...closedOptional,
      description: `session config entries of ONNX Runtime: ${Object.keys(extraKeys).join(', ')}`,
    }),
  },
  closedOptional,
)

export type SessionConfig = StaticDecode<typeof sessionSchema>
