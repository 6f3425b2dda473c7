import { Compile, type Validator } from 'typebox/schema'

interface Response {
  content?: { 'application/json'?: { schema: object } }
  $ref?: string
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response>; 'x-errors': string[] }>>
  components: { responses: Record<string, Response> }
}

/** The responses described by a comparator's OpenAPI document. */
export class DescribedAnswers {
  #document: Promise<Document> | undefined
  readonly #validators = new Map<string, Validator>()

  /** Fails if a JSON answer does not match its description, or contains anything that is not described. */
  async expect(url: string, method: string, path: string, status: number, body: unknown): Promise<void> {
    this.#document ??= fetch(`${url}/openapi.json`).then(async (response) => closed(await response.json()) as any)
    const { paths, ...document } = await this.#document
    const place = path.split('?')[0]!
    const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(place)
    const template = place in paths ? place : Object.keys(paths).find(fits)
    const operation = template && paths[template]![method.toLowerCase()]
    if (!operation) return
    const call = `${method} ${template} ${status}`
    const shared = operation.responses[status]?.$ref?.split('/').at(-1)
    const response = shared === undefined ? operation.responses[status] : document.components.responses[shared]
    const schema = response?.content?.['application/json']?.schema
    const isUnlisted = status >= 400 && !operation['x-errors'].includes((body as { code: string }).code)
    if (!schema || isUnlisted) throw new Error(`${call} is not described: ${JSON.stringify(body)}`)
    const validator = this.#validators.get(call) ?? Compile({ ...document, ...schema })
    this.#validators.set(call, validator)
    if (validator.Check(body)) return
    const problems = validator.Errors(body)[1].map(({ instancePath, message }) => `${instancePath}: ${message}`)
    throw new Error(`${call} answers otherwise than described: ${problems.join('; ')}\n${JSON.stringify(body)}`)
  }
}

/** The schema with every object closed to properties that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isObject = 'properties' in parts && parts.type === 'object'
  return { ...(isObject && { additionalProperties: false }), ...parts }
}
