import { Type } from 'typebox'
import { durationPattern, type Milliseconds, parseDuration, parseSize, sizePattern } from '../../vocabulary/units.ts'

export { timerMsMax } from '../../vocabulary/units.ts'

interface DurationOptions {
  default?: string
  /** Longer durations are cut to this. */
  msMax?: Milliseconds
}

/** A duration in YAML (`10s`), milliseconds once decoded. */
export const Duration = ({ msMax = Number.POSITIVE_INFINITY, ...options }: DurationOptions = {}) =>
  Type.Codec(
    Type.String({ pattern: durationPattern, description: 'a duration such as 30d, 10m, 10s or 2ms', ...options }),
  )
    .Decode((text) => Math.min(parseDuration(text), msMax))
    .Encode((ms) => `${ms}ms`)

/** A duration above zero. */
export const PositiveDuration = ({ msMax = Number.POSITIVE_INFINITY, ...options }: DurationOptions = {}) =>
  Type.Codec(
    Type.String({
      pattern: `^(?!0+(\\.0+)?[a-z])${durationPattern.slice(1)}`,
      description: 'a duration above zero, such as 30d, 10m, 10s or 2ms',
      ...options,
    }),
  )
    .Decode((text) => Math.min(parseDuration(text), msMax))
    .Encode((ms) => `${ms}ms`)

/** A size in YAML (`1MiB`), bytes once decoded. */
export const Size = (options: { default?: string } = {}) =>
  Type.Codec(Type.String({ pattern: sizePattern, description: 'a size such as 1MiB, 512KiB or 1GiB', ...options }))
    .Decode(parseSize)
    .Encode((bytes) => `${bytes}B`)

export interface ListenAddress {
  host: string
  port: number
}

/** `127.0.0.1:8080`, `[::1]:8080` or `:8080` in YAML, host and port once decoded. Port 0 takes a free one. */
export const Listen = (options: { default: string }) =>
  Type.Codec(
    Type.String({
      pattern:
        '^([A-Za-z0-9.-]*|\\[[0-9a-fA-F:]+\\]):(6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]?\\d{1,4})$',
      description: 'an address to listen on, HOST:PORT, such as 127.0.0.1:8080',
      ...options,
    }),
  )
    .Decode((text): ListenAddress => {
      const colon = text.lastIndexOf(':')
      return { host: text.slice(0, colon).replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(text.slice(colon + 1)) }
    })
    .Encode(({ host, port }) => `${host}:${port}`)

/** A URL that matches `pattern` and parses: some that match name no address, such as one with a port out of range. */
export const Url = (pattern: string, description: string) => {
  const isKind = new RegExp(pattern)
  // a mismatch is reported once, by the pattern
  const isSound = (url: string) => !isKind.test(url) || URL.canParse(url)
  return Type.Refine(Type.String({ pattern, description }), isSound, () => description)
}

/** An upstream's base URL. */
export const HttpUrl = () => Url('^https?://[^\\s/?#]+(/[^\\s?#]*)?$', 'a URL such as http://127.0.0.1:9000')

export const Name = (what: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
    description: `${what}: letters, digits, dot, dash or underscore, 100 at most`,
  })

/** Objects in a config take no unknown keys: a misspelt limit that is silently ignored would be no limit. */
export const closed = { additionalProperties: false } as const
/** The same, for sections that may be omitted. */
export const closedOptional = { additionalProperties: false, default: {} } as const
