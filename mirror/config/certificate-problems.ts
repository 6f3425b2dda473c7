import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConfigProblem } from '../../runtime/config/problem.ts'
import type { Loose } from '../../runtime/config/semantics.ts'

/** Problems of a certificate of the mirror's own and its key, if both are set. */
export function certificateProblems(tls: unknown, path: string): ConfigProblem[] {
  if (!isObject(tls) || typeof tls.cert !== 'string' || typeof tls.key !== 'string') return []
  const problems: ConfigProblem[] = []
  const cert = read(
    { path: `${path}.cert`, value: tls.cert, expected: 'a PEM file of a certificate' },
    parseCertificate,
    problems,
  )
  const key = read(
    { path: `${path}.key`, value: tls.key, expected: 'a PEM file of a private key without a passphrase' },
    parseKey,
    problems,
  )
  if (cert && key && !cert.checkPrivateKey(key))
    problems.push({ path: `${path}.key`, value: tls.key, expected: `the key of the certificate in ${tls.cert}` })
  return problems
}

/** Problems of the `tls:` of an upstream with these `urls`. */
export function upstreamTlsProblems(tls: unknown, path: string, urls: readonly unknown[]): ConfigProblem[] {
  if (!isObject(tls)) return []
  const problems: ConfigProblem[] = []
  if (!urls.some((url) => typeof url === 'string' && url.startsWith('https:')))
    problems.push({ path, value: tls, expected: 'an https: URL beside it; there is no TLS to any other' })
  if (typeof tls.ca === 'string')
    read(
      { path: `${path}.ca`, value: tls.ca, expected: 'a PEM file of the certificates of authorities' },
      parseCertificate,
      problems,
    )
  if (typeof tls.serverName === 'string' && isIP(tls.serverName))
    problems.push({ path: `${path}.serverName`, value: tls.serverName, expected: 'a host name; an address needs none' })
  for (const [one, other] of [
    ['cert', 'key'],
    ['key', 'cert'],
  ] as const)
    if (tls[one] === undefined && tls[other] !== undefined)
      problems.push({ path: `${path}.${one}`, value: undefined, expected: `a file, as ${other} is set` })
  return [...problems, ...certificateProblems(tls, path)]
}

/** Parses the file that a setting names. If it cannot, the setting is added to `problems`. */
function read<Parsed>(
  { path, value, expected }: { path: string; value: string; expected: string },
  parse: (text: string) => Parsed,
  problems: ConfigProblem[],
): Parsed | undefined {
  try {
    return parse(readFileSync(value, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? ', which is there' : code === 'EACCES' ? ', which may be read' : ''
    problems.push({ path, value, expected: expected + why })
    return undefined
  }
}

const parseCertificate = (text: string): X509Certificate => new X509Certificate(text)
const parseKey = (text: string): KeyObject => createPrivateKey(text)
const isObject = (value: unknown): value is Loose => value !== null && typeof value === 'object'
