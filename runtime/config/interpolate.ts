import type { ConfigProblem } from './problem.ts'

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Inside `{…}`, `${NAME}` is not valid plain YAML: its brace would end the mapping. References are therefore masked
 * while the text is parsed and restored in the resulting strings. They need no quotes, and values from the environment
 * are never parsed as YAML.
 */
export function maskReferences(text: string): { masked: string; restore: (document: unknown) => unknown } {
  const found: string[] = []
  const masked = text.replace(reference, (whole) => `${mask}${found.push(whole) - 1}_`)
  const restored = (string: string) => string.replace(maskPattern, (_whole, index) => found[Number(index)]!)
  return { masked, restore: (document) => mapStrings(document, '', restored) }
}

const mask = 'UNDERSTUDY_REFERENCE_'
const maskPattern = new RegExp(`${mask}(\\d+)_`, 'g')

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string of a parsed document. As in a shell, the default
 * also stands in for an empty variable. A variable that is not set and has no default is a problem at its path.
 */
export function interpolate(
  document: unknown,
  env: Record<string, string | undefined>,
  path: string,
  problems: ConfigProblem[],
): unknown {
  return mapStrings(document, path, (text, place) =>
    text.replace(reference, (whole, name: string, fallback: string | undefined) => {
      const value = env[name]
      if (value !== undefined && (value !== '' || fallback === undefined)) return value
      if (fallback !== undefined) return fallback
      problems.push({ path: place, value: whole, expected: `the environment variable ${name} to be set` })
      return whole
    }),
  )
}

function mapStrings(node: unknown, path: string, map: (text: string, path: string) => string): unknown {
  if (typeof node === 'string') return map(node, path)
  if (Array.isArray(node)) return node.map((item, i) => mapStrings(item, `${path}[${i}]`, map))
  if (node === null || typeof node !== 'object') return node
  const entries = Object.entries(node).map(([key, value]) => {
    return [map(key, path), mapStrings(value, path ? `${path}.${key}` : key, map)]
  })
  return Object.fromEntries(entries)
}
