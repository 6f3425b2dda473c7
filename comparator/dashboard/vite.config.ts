import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Beside each text asset its compressed forms, which the comparator sends as they are. */
const precompressed: Plugin = {
  name: 'precompressed',
  apply: 'build',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const { fileName, ...file } of Object.values(bundle)) {
      if (!/\.(js|css|svg)$/.test(fileName)) continue
      const source = Buffer.from(file.type === 'chunk' ? file.code : file.source)
      const brotli = brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: source.length } })
      this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotli })
      this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) })
    }
  },
}

/** JSX is compiled by Vite itself; everything is emitted as files, so that a strict Content-Security-Policy holds. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [precompressed],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
