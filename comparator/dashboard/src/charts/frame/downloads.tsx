import { useRef, useState } from 'preact/hooks'
import type { ChartTableData } from './chart-table.tsx'
import { csvText } from './csv-text.ts'
import { drawNow } from './draw-when-near.ts'
import { pictureOf } from './picture-of.ts'
import { standaloneSvg } from './standalone-svg.ts'

/** PNG pixels per page pixel. */
const pngScale = 2

interface DownloadsProps {
  title: string
  table: () => ChartTableData
}

/**
 * Saves the surrounding figure (`.figure`, or `.picture` for a table) as a file. The file is made in the browser;
 * nothing is sent anywhere.
 */
export function Downloads({ title, table }: DownloadsProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const bar = useRef<HTMLDivElement>(null)
  const drawn = () => drawingOf(bar.current!.closest<HTMLElement>('.figure, .picture')!, title)
  const files: Record<string, () => Blob | Promise<Blob>> = {
    CSV: () => new Blob(['\ufeff', csvText(table())], { type: 'text/csv' }),
    SVG: () => svgBlob(drawn()),
    PNG: () => pngBlob(drawn()),
  }
  const save = async (kind: string) => {
    try {
      saveAs(await files[kind]!(), `${fileNameOf(title)}.${kind.toLowerCase()}`)
      setProblem(null)
    } catch (error) {
      setProblem(`${kind}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return (
    <div class="downloads" ref={bar}>
      {problem !== null && <span role="alert">{problem}</span>}
      {Object.keys(files).map((kind) => (
        <button key={kind} class="download" type="button" onClick={() => save(kind)} aria-label={`${kind}: ${title}`}>
          {kind}
        </button>
      ))}
    </div>
  )
}

function drawingOf(figure: HTMLElement, title: string): SVGSVGElement {
  const holder = figure.querySelector('.plot-holder')
  if (holder === null) return pictureOf(figure, title)
  drawNow(holder)
  const chart = holder.querySelector<SVGSVGElement>('svg')
  if (chart === null) throw new Error('there is no chart to save yet')
  return standaloneSvg(chart, figure, title)
}

function svgBlob(svg: SVGSVGElement): Blob {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' })
}

async function pngBlob(svg: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svgBlob(svg))
  try {
    const picture = new Image()
    picture.src = address
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = picture.naturalWidth * pngScale
    canvas.height = picture.naturalHeight * pngScale
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large')))),
    )
  } finally {
    URL.revokeObjectURL(address)
  }
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // the browser reads the URL after the click handler has returned
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Named after the page and the figure. */
function fileNameOf(title: string): string {
  const page = document.title.split(' · ')[0] ?? ''
  return `${page} ${title}`
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 100)
}
