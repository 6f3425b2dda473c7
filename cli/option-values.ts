import { InvalidArgumentError, Option } from 'commander'
import { dayMs, parseDuration, timerMsMax } from '../vocabulary/units.ts'

/** Parsers of option values; each throws commander's error, which says what was expected. */

export function duration(text: string): number {
  let ms: number
  try {
    ms = parseDuration(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  if (ms > timerMsMax) throw new InvalidArgumentError(`expected at most ${timerMsMax / dayMs}d`)
  return ms
}

export function positiveDuration(text: string): number {
  const ms = duration(text)
  if (ms === 0) throw new InvalidArgumentError('expected a duration above zero, such as 250ms or 10s')
  return ms
}

export function positiveNumber(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError('expected a number above zero')
  }
  return Number(text)
}

export function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number, 1 to 999999')
  return Number(text)
}

export function percentile(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0 && value < 100)) throw new InvalidArgumentError('expected a number between 0 and 100, such as 99')
  return value
}

/** In hex, in the lower case in which hashes are printed. */
export function sha256(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('expected a SHA-256, 64 lower-case hex digits')
  return text
}

/** `30%` → 0.3. */
export function share(text: string): number {
  const value = /^\d+(\.\d+)?%$/.test(text) ? Number.parseFloat(text) / 100 : Number.NaN
  if (!(value >= 0 && value < 1)) throw new InvalidArgumentError('expected a share from 0% to below 100%, such as 30%')
  return value
}

/** `remedy` tells users who put credentials into the URL how to pass them instead. */
export function httpUrl(text: string, remedy: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('expected a URL such as http://HOST:PORT')
  }
  // credentials would be dropped from the requests silently, and the target would appear to refuse them
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError(`expected a URL without a user; ${remedy}`)
  }
  return url
}

export const targetUrl = (text: string) => httpUrl(text, 'give --header "authorization: …"')

/** An option whose default is shown in the help as users write it; commander would print milliseconds and fractions. */
export const defaultingTo = <Value>(text: string, flags: string, description: string, parse: (text: string) => Value) =>
  new Option(flags, description).argParser(parse).default(parse(text), text)

/** Collects the values of an option that may be repeated. */
export const collect = (text: string, before: string[] = []) => [...before, text]

/** For options with a list such as `1,2,4`. */
export const listOf =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value[] =>
    text.split(',').map((item) => parse(item.trim()))

/** `NAME=1x3x224x224`. */
export function parseShape(text: string): [string, number[]] {
  const match = /^(.+)=(\d+(?:x\d+)*)$/.exec(text)
  const sizes = (match?.[2] ?? '0').split('x').map(Number)
  if (!match || sizes.includes(0)) {
    throw new InvalidArgumentError('expected NAME=SIZExSIZE…, such as image=1x3x224x224')
  }
  return [match[1]!, sizes]
}
