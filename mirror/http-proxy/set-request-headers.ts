import type { ClientRequest } from 'node:http'
import { asksToContinue } from '../http1/expectation.ts'
import { type Fields, spelt } from '../http1/fields.ts'

/** Sets the fields as the client spelt and repeated them. Body framing stays as http-proxy-3 has set it. */
export function setRequestHeaders(proxyRequest: ClientRequest, fields: Fields): void {
  for (const name of proxyRequest.getHeaderNames()) if (!framing.has(name)) proxyRequest.removeHeader(name)
  for (const field of fields) {
    const { name, value } = field
    // http-proxy-3 manages the connection itself, except for the tokens that must be listed
    if (name === 'connection') proxyRequest.setHeader('Connection', value)
    if (framing.has(name) || (name === 'expect' && asksToContinue(value))) continue
    proxyRequest.appendHeader(spelt(field), value)
  }
}

/** Set by http-proxy-3 and Node themselves. */
const framing = new Set(['content-length', 'transfer-encoding', 'connection', 'trailer'])
