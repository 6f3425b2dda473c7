import { formatCount } from '../format/number.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { binaryOf } from './binary.ts'
import { hexRows } from './hex-rows.ts'
import { directionParts, prettyBody } from './pretty-body.ts'

const hexBytesMax = 256

interface BodyViewProps {
  body: string
  encoding: 'utf8' | 'base64'
  label: string
}

/** Any body as text: JSON indented, the first bytes of binary data as hex; always of limited length. */
export function BodyView({ body, encoding, label }: BodyViewProps) {
  return encoding === 'base64' ? <Bytes base64={body} label={label} /> : <Text body={body} label={label} />
}

function Text({ body, label }: { body: string; label: string }) {
  if (body === '') return <p class="no-data">An empty body.</p>
  const { text, more } = prettyBody(body)
  return (
    <>
      <Scrollable label={label} class="body-text">
        <pre>
          {directionParts(text).map((part, i) => (
            <VisibleText key={i} text={part} />
          ))}
        </pre>
      </Scrollable>
      {more > 0 && <p class="muted">{formatCount(more)} more characters are not shown.</p>}
    </>
  )
}

function Bytes({ base64, label }: { base64: string; label: string }) {
  const binary = binaryOf(base64)
  if (binary === null) return <p class="no-data">Bytes that could not be read.</p>
  const rows = hexRows(binary, hexBytesMax)
  return (
    <>
      <Scrollable label={label} class="body-text">
        <pre>{rows.map(({ offset, hex, text }) => `${offset}  ${hex.padEnd(47)}  ${text}`).join('\n')}</pre>
      </Scrollable>
      <p class="muted">
        {formatCount(binary.length)} bytes
        {binary.length > hexBytesMax && `, the first ${hexBytesMax} are shown`}.
      </p>
    </>
  )
}
