/** The `mirror:` section that yields a validation's first observation, with this comparator's own address. */
export function mirrorConfig(comparator: string, validation: string): string {
  return `mirror:
  listen: 127.0.0.1:8080            # clients call this from now on
  primary: http://127.0.0.1:9000    # your app server
  comparator: { url: ${comparator}, token: "\${UNDERSTUDY_INGEST_TOKEN}" }
  routes:
    - path: /predictions/${encodeURIComponent(validation)}
      methods: [POST]
      candidates:
        - { validation: ${validation}, url: http://127.0.0.1:8090 }   # your candidate server
`
}

/** Creates the token that mirrors deliver with, and prints the digest by which the comparator knows it. */
export const tokenCommand = `export UNDERSTUDY_INGEST_TOKEN=$(openssl rand -hex 32)
echo "- { name: mirror, role: ingest, sha256: $(printf %s "$UNDERSTUDY_INGEST_TOKEN" | sha256sum | cut -c 1-64) }"
`

/** Run in the shell that has the token. */
export const mirrorCommand = 'npx understudy mirror --config mirror.yaml'

/** A request through that mirror. */
export function requestCommand(validation: string): string {
  return `curl http://127.0.0.1:8080/predictions/${encodeURIComponent(validation)} \\
  -H 'content-type: application/json' \\
  -d '{"input": [1, 2, 3]}'
`
}
