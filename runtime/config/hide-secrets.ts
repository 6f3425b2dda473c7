import type { ConfigProblem } from './problem.ts'

/** Names of keys that hold a credential, or its digest, in whose place people paste the credential itself. */
const secretKey = /(token|secret|passw(or)?d|credential|authorization|cookie|api[-_]?key|sha256)s?$/i
/** Whoever knows a webhook's URL may call it: chat services put the secret there. */
const secretPath = /(^|\.)webhooks(\[\d+\])*(\.url)?$/
/** User information in a URL, or in what was meant to be one. */
const userinfo = /^(?:([a-z][\w+.-]*:\/\/).*|.*:.*)@/is
const parameter = /((?:passw(?:or)?d|token|secret|api[-_]?key)=)[^&\s]+/gi
const pem = /-----BEGIN/

/** The same problem without secrets, fit to be printed and logged. */
export function withoutSecrets({ path, value, expected }: ConfigProblem): ConfigProblem {
  return { path, value: shown(value, path), expected }
}

export function isSecretKey(key: string): boolean {
  return secretKey.test(key)
}

/** The text shown in place of a secret value. */
export function hidden(value: unknown): string {
  return typeof value === 'string' ? `(hidden, ${value.length} characters)` : '(hidden)'
}

function shown(value: unknown, path: string): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item, i) => shown(item, `${path}[${i}]`))
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item, `${path}.${key}`)]))
  }
  if (isSecretKey(path.replace(/(\[\d+\])+$/, '')) || secretPath.test(path)) return hidden(value)
  if (typeof value !== 'string') return value
  return pem.test(value) ? hidden(value) : value.replace(userinfo, '$1(hidden)@').replace(parameter, '$1(hidden)')
}
