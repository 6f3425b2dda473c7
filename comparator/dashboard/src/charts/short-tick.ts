/** A tick without the zeros that say nothing: `10.00 ms` → `10 ms`. */
export function shortTick(text: string): string {
  return text.replace(/\.0+(?= |$)/, '').replace(/(\.\d*?)0+(?= |$)/, '$1')
}
