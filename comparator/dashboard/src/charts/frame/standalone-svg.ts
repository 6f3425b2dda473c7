const svgNamespace = 'http://www.w3.org/2000/svg'

/** Properties that the page's stylesheet sets on an element; all but the last are inherited. */
const properties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'paint-order',
  'font-family',
  'font-size',
  'font-weight',
  'font-variant-numeric',
  'text-anchor',
  'opacity',
] as const

const padPx = 16
const headPx = 52

/**
 * A figure's chart as a standalone picture: as it currently appears on the page, with the figure's title and legend
 * above it, on the page's background.
 */
export function standaloneSvg(chart: SVGSVGElement, figure: HTMLElement, title: string): SVGSVGElement {
  const width = chart.clientWidth + 2 * padPx
  const height = chart.clientHeight + headPx + padPx
  const copy = styledCopy(chart)
  for (const [name, value] of [
    ['x', padPx],
    ['y', headPx],
    ['width', chart.clientWidth],
    ['height', chart.clientHeight],
  ])
    copy.setAttribute(String(name), String(value))
  const style = getComputedStyle(figure)
  const face = { 'font-family': style.fontFamily, 'font-size': 13 }
  const whole = element('svg', { viewBox: `0 0 ${width} ${height}`, width, height })
  whole.append(
    element('rect', { width, height, fill: style.backgroundColor }),
    element('text', { ...face, x: padPx, y: 22, 'font-weight': 600, fill: style.color }, title),
    ...legendOf(figure, { ...face, 'font-size': 12 }),
    copy,
  )
  return whole as SVGSVGElement
}

/** A deep copy of a drawing, with the stylesheet's properties as attributes. */
export function styledCopy(source: Element): Element {
  const copy = source.cloneNode(false) as Element
  const style = getComputedStyle(source)
  const inherited = source.parentElement instanceof SVGElement ? getComputedStyle(source.parentElement) : null
  for (const name of properties) {
    const value = style.getPropertyValue(name)
    const usual = name === 'opacity' ? '1' : inherited?.getPropertyValue(name)
    if (value === usual) copy.removeAttribute(name)
    else copy.setAttribute(name, plainColor(value))
  }
  if (source instanceof SVGSVGElement) copy.setAttribute('overflow', style.overflowX)
  copy.removeAttribute('class')
  copy.removeAttribute('style')
  for (const child of source.childNodes) copy.append(child instanceof Element ? styledCopy(child) : child.cloneNode())
  return copy
}

/** The legend in one row; each entry has the stroke or fill of its sign on the page. */
function legendOf(figure: HTMLElement, face: Record<string, string | number>): Element[] {
  let x = padPx
  return [...figure.querySelectorAll<HTMLElement>('.legend .key')].flatMap((key) => {
    const sign = getComputedStyle(key, '::before')
    const word = key.textContent ?? ''
    const at = x
    x += 40 + word.length * 6.6
    const text = element('text', { ...face, x: at + 26, y: 42, fill: getComputedStyle(key).color }, word)
    if (sign.borderTopStyle === 'none' || sign.borderTopWidth === '0px') {
      return [element('rect', { x: at, y: 33, width: 20, height: 10, fill: sign.backgroundColor }), text]
    }
    const dashes = { dashed: '6 3', dotted: '2 4' }[sign.borderTopStyle] ?? 'none'
    const stroke = { stroke: sign.borderTopColor, 'stroke-width': 2, 'stroke-dasharray': dashes }
    return [element('line', { x1: at, x2: at + 20, y1: 38, y2: 38, ...stroke }), text]
  })
}

export function element(name: string, attributes: Record<string, string | number>, text?: string): Element {
  const made = document.createElementNS(svgNamespace, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, plainColor(String(value)))
  if (text !== undefined) made.textContent = text
  return made
}

/** Browsers write mixed colours as `color(srgb …)`, which other SVG readers take for black. */
function plainColor(value: string): string {
  return value.replace(/^color\(srgb (\S+) (\S+) (\S+?)(?: \/ (\S+))?\)$/, (_, red, green, blue, alpha) => {
    const channels = [red, green, blue].map((share) => Math.round(255 * Number(share))).join(', ')
    return alpha === undefined ? `rgb(${channels})` : `rgba(${channels}, ${alpha})`
  })
}
