/*
 * As many multiply-adds as are asked for, by the widest instructions that this CPU has for them, from registers to
 * registers: what no engine's kernels can do faster on one core.
 */
#include <immintrin.h>
#include <stdint.h>

/* More sums than latency times the instructions issued in a cycle, fewer than registers. */
#define SUMS 12

/* Without it the compiler would multiply once, or by a zero that it knows not at all. */
#define CHANGED(value) __asm__ volatile("" : "+v"(value))
#define USED(value) __asm__ volatile("" : : "v"(value))

#define MULTIPLY_ADDS(name, vector, of_one, multiply_add)          \
  void name(int64_t count) {                                       \
    vector sums[SUMS] = {0}, a = {0}, b = {0};                     \
    CHANGED(b);                                                    \
    for (int64_t done = 0; done < count; done += SUMS * of_one) {  \
      _Pragma("GCC unroll 12") for (int i = 0; i < SUMS; i++) {    \
        CHANGED(a);                                                \
        sums[i] = multiply_add(sums[i], a, b);                     \
      }                                                            \
    }                                                              \
    _Pragma("GCC unroll 12") for (int i = 0; i < SUMS; i++) USED(sums[i]); \
  }

#define FMA_512(sum, a, b) _mm512_fmadd_ps(a, b, sum)
#define FMA_256(sum, a, b) _mm256_fmadd_ps(a, b, sum)
#define MULTIPLY_IN_TWO_STEPS(sum, a, b) \
  _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)))

#if defined(__AVX512F__)
MULTIPLY_ADDS(float32, __m512, 16, FMA_512)
#elif defined(__FMA__)
MULTIPLY_ADDS(float32, __m256, 8, FMA_256)
#else
#error "the float32 instructions of this CPU are not known here"
#endif

#if defined(__AMX_INT8__)
#include <sys/syscall.h>
#include <unistd.h>

#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18

/* Tiles of 16 rows of 64 bytes. */
struct tiles {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

void int8(int64_t count) {
  struct tiles tiles = {.palette = 1};
  for (int i = 0; i < 8; i++) tiles.row_bytes[i] = 64, tiles.rows[i] = 16;
  syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
  _tile_loadconfig(&tiles);
  for (int64_t done = 0; done < count; done += 4 * 16 * 16 * 64) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  _tile_release();
}
#elif defined(__AVX512VNNI__)
MULTIPLY_ADDS(int8, __m512i, 64, _mm512_dpbusd_epi32)
#elif defined(__AVXVNNI__)
MULTIPLY_ADDS(int8, __m256i, 32, _mm256_dpbusd_avx_epi32)
#elif defined(__AVX2__)
MULTIPLY_ADDS(int8, __m256i, 32, MULTIPLY_IN_TWO_STEPS)
#else
#error "the 8-bit instructions of this CPU are not known here"
#endif
