/** The name of each side on the page. */
export const labels: Record<string, string> = {
  direct: 'no proxy',
  nginx: 'nginx, plain proxy',
  'nginx-mirror': 'nginx with `mirror`',
  'nginx-mirror-hung': 'nginx with `mirror`, candidate hangs',
  'share-0': 'our mirror, share 0',
  'share-10': 'our mirror, share 10 %',
  'share-100': 'our mirror, share 100 %',
  hung: 'our mirror, share 100 %, candidate hangs',
  'http-proxy-3-share-0': 'our mirror on http-proxy-3, share 0',
  'http-proxy-3-share-100': 'our mirror on http-proxy-3, share 100 %',
}
