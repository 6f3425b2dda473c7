/** What the tests use of a package that comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, config: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }
}
