import { randomUUID } from 'node:crypto'

/** The contents of a `traceparent` header (W3C Trace Context, level 2). */
export interface TraceParent {
  traceId: string
  spanId: string
  flags: number
}

export const sampledFlag = 0x01
/** The trace id's last seven bytes are random, so that other services may sample by them. */
const randomFlag = 0x02

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const onlyZeros = /^0+$/

/** Undefined if it is invalid; later versions may append to the flags. */
export function parseTraceparent(value: string | undefined): TraceParent | undefined {
  const [, version, traceId, spanId, flags, rest] = form.exec(value ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (onlyZeros.test(traceId!) || onlyZeros.test(spanId!)) return undefined
  return { traceId: traceId!, spanId: spanId!, flags: Number.parseInt(flags!, 16) & (sampledFlag | randomFlag) }
}

export function traceparentOf({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${flags}`
}

/** The root of a new trace, always sampled. */
export const newTrace = () => ({ traceId: randomUUID().replaceAll('-', ''), flags: sampledFlag | randomFlag })

/** The random part of a UUID, which Node takes from a pool in a tenth of the time of eight random bytes. */
export function newSpanId(): string {
  const uuid = randomUUID()
  return uuid.slice(24) + uuid.slice(0, 4)
}
