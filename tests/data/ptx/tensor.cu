// arch=sm_80: products of the tensor cores, and copies that others wait for.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

// c[16 x 8] = a[16 x 16] b[16 x 8], a and c by rows, b by columns.
template <typename T>
__device__ void product16(const T* a, const T* b, float* c) {
  const unsigned lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
  const auto word = [](const T* at) { return *reinterpret_cast<const unsigned*>(at); };
  const unsigned a0 = word(a + group * 16 + pair), a1 = word(a + (group + 8) * 16 + pair),
                 a2 = word(a + group * 16 + pair + 8), a3 = word(a + (group + 8) * 16 + pair + 8);
  const unsigned b0 = word(b + group * 16 + pair), b1 = word(b + group * 16 + pair + 8);
  float d[4] = {1, 2, 3, 4};
  if constexpr (sizeof(T) == 2 && std::is_same_v<T, __half>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  c[group * 8 + pair] = d[0], c[group * 8 + pair + 1] = d[1];
  c[(group + 8) * 8 + pair] = d[2], c[(group + 8) * 8 + pair + 1] = d[3];
}
extern "C" __global__ void productF16(const __half* a, const __half* b, float* c) { product16(a, b, c); }
extern "C" __global__ void productBf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { product16(a, b, c); }

// c[16 x 8] = a[16 x 8] b[8 x 8]
extern "C" __global__ void productTf32(const float* a, const float* b, float* c) {
  const unsigned lane = threadIdx.x, group = lane / 4, at = lane % 4;
  const auto tf32 = [](float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
  };
  const unsigned a0 = tf32(a[group * 8 + at]), a1 = tf32(a[(group + 8) * 8 + at]), a2 = tf32(a[group * 8 + at + 4]),
                 a3 = tf32(a[(group + 8) * 8 + at + 4]);
  const unsigned b0 = tf32(b[group * 8 + at]), b1 = tf32(b[group * 8 + at + 4]);
  float d[4] = {};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  c[group * 8 + at * 2] = d[0], c[group * 8 + at * 2 + 1] = d[1];
  c[(group + 8) * 8 + at * 2] = d[2], c[(group + 8) * 8 + at * 2 + 1] = d[3];
}

// c[16 x 8] = a[16 x 32] b[32 x 8] of bytes.
extern "C" __global__ void productS8(const signed char* a, const signed char* b, int* c) {
  const unsigned lane = threadIdx.x, group = lane / 4, at = lane % 4 * 4;
  const auto word = [](const signed char* at) { return *reinterpret_cast<const unsigned*>(at); };
  const unsigned a0 = word(a + group * 32 + at), a1 = word(a + (group + 8) * 32 + at), a2 = word(a + group * 32 + at + 16),
                 a3 = word(a + (group + 8) * 32 + at + 16);
  const unsigned b0 = word(b + group * 32 + at), b1 = word(b + group * 32 + at + 16);
  int d[4] = {};
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  c[group * 8 + at / 2] = d[0], c[group * 8 + at / 2 + 1] = d[1];
  c[(group + 8) * 8 + at / 2] = d[2], c[(group + 8) * 8 + at / 2 + 1] = d[3];
}

// Four 8 x 8 matrices from shared memory, as they lie and transposed.
extern "C" __global__ void matrices(const unsigned short* in, unsigned* plain, unsigned* turned) {
  __shared__ __align__(16) unsigned short tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x * 8));
  unsigned r[4], t[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(t[0]), "=r"(t[1]), "=r"(t[2]), "=r"(t[3]) : "r"(row));
  for (int i = 0; i < 4; ++i) plain[threadIdx.x * 4 + i] = r[i], turned[threadIdx.x * 4 + i] = t[i];
}

// Two stages: while one is summed the next is on its way.
extern "C" __global__ void pipeline(const float* in, float* out, int tiles) {
  __shared__ float stage[2][128];
  const auto begin = [&](int tile) {
    __pipeline_memcpy_async(&stage[tile % 2][threadIdx.x], in + tile * 128 + threadIdx.x, 4);
    __pipeline_commit();
  };
  begin(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) begin(tile + 1);
    __pipeline_wait_prior(tile + 1 < tiles ? 1 : 0);
    __syncthreads();
    sum += stage[tile % 2][127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
