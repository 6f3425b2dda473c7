/** One problem in a config file: where, which value, and what was expected. */
export interface ConfigProblem {
  path: string
  value: unknown
  expected: string
}

export class ConfigError extends Error {
  readonly file: string
  readonly problems: ConfigProblem[]

  constructor(file: string, problems: ConfigProblem[]) {
    super(
      `${file}: ${problems.length} problem${problems.length === 1 ? '' : 's'}\n${problems.map(formatProblem).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.file = file
    this.problems = problems
  }
}

export function formatProblem({ path, value, expected }: ConfigProblem): string {
  const found = value === undefined ? 'missing' : abbreviate(JSON.stringify(value) ?? String(value))
  return `  ${path || '(the whole file)'}: ${found}; expected ${expected}`
}

function abbreviate(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}
