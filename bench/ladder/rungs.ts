import { isaFlags } from '../../candidate-server/cpu/isa-flags.ts'
import type { ModelName } from '../models/models.ts'
import type { ServerSettings } from '../serving/server-side.ts'

/** Another engine in a loop without HTTP. `processes`: one process pinned to each core instead of one using both. */
export interface PeerRung {
  kind: 'peer'
  name: string
  label: string
  model: ModelName
  /** `arithmetic`: only the network's multiply-adds, on registers. */
  engine: 'eager' | 'onnxruntime' | 'openvino' | 'arithmetic'
  processes: 1 | 2
  /** OpenVINO's own throughput mode with this many concurrent runs. */
  streams?: number
}

/** Our server, measured by the answers that clients get over HTTP. */
export interface ServerRung {
  kind: 'server'
  name: string
  label: string
  model: ModelName
  cpu: ServerSettings['cpu']
  batchRows: number
  session: {
    graphOptimization: 'disabled' | 'basic' | 'extended' | 'layout' | 'all'
    amx: boolean
    spaceToDepth: boolean
  }
}

/** What an instance of our server runs, in a loop without HTTP. */
export interface SessionRung {
  kind: 'session'
  name: string
  label: string
  model: ModelName
  processes: 1 | 2
  batchRows: number
}

export type Rung = PeerRung | ServerRung | SessionRung

const peer = (
  engine: PeerRung['engine'],
  model: ModelName,
  processes: 1 | 2,
  label: string,
  streams?: number,
): PeerRung => ({
  kind: 'peer',
  name: `${engine}-${model}-${streams === undefined ? processes : `${streams}-streams`}`,
  label,
  model,
  engine,
  processes,
  streams,
})

const session = (model: ModelName, processes: 1 | 2, batchRows: number, label: string): SessionRung => ({
  kind: 'session',
  name: `session-${model}-${processes}-batch-${batchRows}`,
  label,
  model,
  processes,
  batchRows,
})

type Switches = Partial<Pick<ServerRung, 'model' | 'batchRows'> & ServerRung['session']> & {
  instances?: 1 | 2
  allocator?: 'none' | 'jemalloc' | 'tcmalloc'
  hugePages?: boolean
  spinning?: boolean
}

/** Both cores are always used: one instance with two threads, or two with one. Everything else has its default. */
function server(name: string, label: string, switches: Switches): ServerRung {
  const {
    model = 'resnet50',
    instances = 1,
    allocator = 'none',
    hugePages = false,
    spinning = 'auto',
    batchRows = 1,
    graphOptimization = 'all',
    amx = true,
    spaceToDepth = true,
  } = switches
  const cpu = { instances, threads: 2 / instances, allocator, hugePages, spinning }
  const ofSession = { graphOptimization, amx, spaceToDepth }
  return { kind: 'server', name: `server-${name}`, label, model, cpu, batchRows, session: ofSession }
}

export const base = peer('eager', 'resnet50', 1, 'PyTorch, eager, one image at a time')

const batched = { batchRows: 4 }
const pinned = { instances: 2 } as const
const int8 = { model: 'resnet50-int8' } as const
const pixels = { model: 'resnet50-pixels-int8' } as const
const student = { model: 'resnet18-112' } as const
const studentPixels = { model: 'resnet18-112-pixels-int8' } as const

/** The upper bound for any engine on this machine. */
const arithmetic = (model: ModelName) =>
  peer('arithmetic', model, 2, 'the CPU’s multiply-adds alone, two pinned processes')

const pixelsInt8Batched = { ...pixels, ...pinned, ...batched }

/** Without the rewritings that this CPU allows; on a CPU without them, this would repeat the row above. */
function asInTheFile(): ServerRung[] {
  const isa = isaFlags()
  const without = (name: string, label: string, switches: Switches) =>
    server(`pixels-int8-pinned-batch-no-${name}`, `the same without ${label}`, { ...pixelsInt8Batched, ...switches })
  return [
    ...(isa.includes('amx_int8') ? [without('amx', 'AMX', { amx: false })] : []),
    ...(isa.some((flag) => flag.endsWith('vnni'))
      ? [without('blocks', 'blocks for the first convolution', { spaceToDepth: false })]
      : []),
  ]
}

export interface LadderSection {
  title: string
  rungs: readonly Rung[]
}

export const ladder: readonly LadderSection[] = [
  {
    title: 'Other engines, float32, no HTTP',
    rungs: [
      base,
      peer('onnxruntime', 'resnet50', 1, 'ONNX Runtime in Python, two threads'),
      peer('onnxruntime', 'resnet50', 2, 'ONNX Runtime in Python, two pinned processes'),
      peer('openvino', 'resnet50', 1, 'OpenVINO, two threads'),
      peer('openvino', 'resnet50', 2, 'OpenVINO, two pinned processes'),
      arithmetic('resnet50'),
    ],
  },
  {
    title: 'Our server over HTTP, float32, each switch alone',
    rungs: [
      server('plain', 'one instance of two threads, no graph optimization', { graphOptimization: 'disabled' }),
      server('extended', '+ graph optimization, `extended` (fusions)', { graphOptimization: 'extended' }),
      server('all', '+ graph optimization, `all` (memory layout too): the rows below have it', {}),
      server('batch', 'batches of 4', batched),
      server('jemalloc', 'jemalloc', { allocator: 'jemalloc' }),
      server('tcmalloc', 'tcmalloc', { allocator: 'tcmalloc' }),
      server('huge-pages', 'transparent huge pages', { hugePages: true }),
      server('no-spinning', 'idle threads that do not spin', { spinning: false }),
      server('spinning', 'idle threads that spin between runs too', { spinning: true }),
      server('pinned', 'two instances, one pinned to each core', pinned),
      server('int8', 'INT8', int8),
      server('pixels', 'pixels instead of floats as input', { model: 'resnet50-pixels' }),
    ],
  },
  {
    title: 'Our server over HTTP, switches together',
    rungs: [
      server('pinned-huge-pages', 'float32, pinned instances, huge pages', { ...pinned, hugePages: true }),
      server('int8-pinned', 'INT8, pinned instances', { ...int8, ...pinned }),
      server('int8-pinned-batch', 'INT8, pinned instances, batches of 4', { ...int8, ...pinned, ...batched }),
      server('pixels-int8-pinned', 'INT8, pinned instances, pixels', { ...pixels, ...pinned }),
      server('pixels-int8-pinned-jemalloc', 'INT8, pinned instances, pixels, jemalloc', {
        ...pixels,
        ...pinned,
        allocator: 'jemalloc',
      }),
      server('pixels-int8-pinned-huge', 'INT8, pinned instances, pixels, huge pages', {
        ...pixels,
        ...pinned,
        hugePages: true,
      }),
      server('pixels-int8-pinned-batch', 'INT8, pinned instances, pixels, batches of 4', pixelsInt8Batched),
      ...asInTheFile(),
      server('everything', 'INT8, pinned instances, pixels, batches of 4, huge pages, jemalloc', {
        ...pixelsInt8Batched,
        hugePages: true,
        allocator: 'jemalloc',
      }),
      server('everything-batch-16', 'the same in batches of 16', {
        ...pixelsInt8Batched,
        batchRows: 16,
        hugePages: true,
        allocator: 'jemalloc',
      }),
    ],
  },
  {
    title: 'What our server’s instances run, no HTTP',
    rungs: [
      session('resnet50', 1, 1, 'float32, two threads'),
      session('resnet50', 2, 1, 'float32, two pinned processes'),
      session('resnet50-int8', 1, 1, 'INT8, two threads'),
      session('resnet50-int8', 2, 1, 'INT8, two pinned processes'),
      session('resnet50-pixels-int8', 2, 4, 'INT8, two pinned processes, pixels, batches of 4'),
    ],
  },
  {
    title: 'Other engines, INT8, no HTTP',
    rungs: [
      peer('onnxruntime', 'resnet50-int8', 1, 'ONNX Runtime in Python, two threads'),
      peer('onnxruntime', 'resnet50-int8', 2, 'ONNX Runtime in Python, two pinned processes'),
      peer('openvino', 'resnet50-int8', 1, 'OpenVINO, two threads'),
      peer('openvino', 'resnet50-int8', 2, 'OpenVINO, two pinned processes'),
      peer('openvino', 'resnet50-int8', 1, 'OpenVINO, its throughput mode with two streams', 2),
      arithmetic('resnet50-int8'),
    ],
  },
  {
    title: 'The distilled student, a ResNet-18 on 112 × 112, on our server over HTTP',
    rungs: [
      server('student', 'float32, one instance of two threads', student),
      server('student-pinned', 'float32, pinned instances', { ...student, ...pinned }),
      server('student-int8', 'INT8, pinned instances, pixels', { ...studentPixels, ...pinned }),
      server('student-int8-batch', 'INT8, pinned instances, pixels, batches of 4', {
        ...studentPixels,
        ...pinned,
        ...batched,
      }),
    ],
  },
]

export const rungs: readonly Rung[] = ladder.flatMap((section) => section.rungs)

/**
 * The same settings here and in Python: our server over HTTP, its session alone, and Python's session in a bare loop.
 */
export const equalSettings = [
  {
    label: 'float32, two threads',
    ours: 'server-all',
    session: 'session-resnet50-1-batch-1',
    theirs: 'onnxruntime-resnet50-1',
  },
  {
    label: 'float32, two pinned',
    ours: 'server-pinned',
    session: 'session-resnet50-2-batch-1',
    theirs: 'onnxruntime-resnet50-2',
  },
  {
    label: 'INT8, two threads',
    ours: 'server-int8',
    session: 'session-resnet50-int8-1-batch-1',
    theirs: 'onnxruntime-resnet50-int8-1',
  },
  {
    label: 'INT8, two pinned',
    ours: 'server-int8-pinned',
    session: 'session-resnet50-int8-2-batch-1',
    theirs: 'onnxruntime-resnet50-int8-2',
  },
] as const

/** The session behind our fastest rung. */
export const fastestSession = 'session-resnet50-pixels-int8-2-batch-4'
