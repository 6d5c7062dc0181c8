// arch=sm_90a: products of warp groups, boxes of tensors, and the older tiles of warps.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

// 2: 64 bytes, 1: 128, 3: 32, 0: none.
__device__ unsigned long long descriptor(unsigned at, unsigned leading, unsigned stride, unsigned long long swizzle) {
  return (at >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 | static_cast<unsigned long long>(stride >> 4) << 32 | swizzle << 62;
}

__device__ void wgmma64x8x16(float (&d)[4], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void put64x8(float* c, const float (&d)[4]) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1];
  c[(row + 8) * 8 + column] = d[2], c[(row + 8) * 8 + column + 1] = d[3];
}

// c[64 x 8] = a[64 x 16] b[8 x 16]^T, matrices of 8 rows of 16 bytes one after the other.
extern "C" __global__ void groupPlain(const __half* a, const __half* b, float* c) {
  __shared__ __align__(128) __half tileA[64 * 16], tileB[8 * 16];
  const auto place = [](int row, int k) { return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8; };
  for (int i = threadIdx.x; i < 64 * 16; i += 128) tileA[place(i / 16, i % 16)] = a[i];
  tileB[place(threadIdx.x / 16, threadIdx.x % 16)] = b[threadIdx.x];
  asm volatile("fence.proxy.async;");
  __syncthreads();
  float d[4] = {};
  wgmma64x8x16(d, descriptor(shared(tileA), 128, 256, 0), descriptor(shared(tileB), 128, 256, 0));
  put64x8(c, d);
}

// The same with rows of 128 bytes, four steps of depth 16, and pieces of 16 bytes that change places.
extern "C" __global__ void groupSwizzled(const __half* a, const __half* b, float* c) {
  __shared__ __align__(1024) __half tileA[64 * 64], tileB[8 * 64];
  const auto place = [](int row, int k) { return row * 64 + ((k / 8) ^ (row % 8)) * 8 + k % 8; };
  for (int i = threadIdx.x; i < 64 * 64; i += 128) tileA[place(i / 64, i % 64)] = a[i];
  for (int i = threadIdx.x; i < 8 * 64; i += 128) tileB[place(i / 64, i % 64)] = b[i];
  asm volatile("fence.proxy.async;");
  __syncthreads();
  float d[4] = {};
  for (int k = 0; k < 4; ++k)
    wgmma64x8x16(d, descriptor(shared(tileA) + k * 32, 16, 1024, 1), descriptor(shared(tileB) + k * 32, 16, 1024, 1));
  put64x8(c, d);
}

// A in registers, of bf16; subtracts b.
extern "C" __global__ void groupRegisters(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ __align__(128) __nv_bfloat16 tileB[8 * 16];
  const auto place = [](int row, int k) { return row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8; };
  tileB[place(threadIdx.x / 16, threadIdx.x % 16)] = b[threadIdx.x];
  asm volatile("fence.proxy.async;");
  __syncthreads();
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, k = threadIdx.x % 4 * 2;
  const auto word = [&](int r, int at) { return *reinterpret_cast<const unsigned*>(a + r * 16 + at); };
  float d[4] = {1, 2, 3, 4};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, p, 1, -1, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(word(row, k)), "r"(word(row + 8, k)), "r"(word(row, k + 8)), "r"(word(row + 8, k + 8)),
                 "l"(descriptor(shared(tileB), 128, 256, 0)));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  put64x8(c, d);
}

// Bytes: c[64 x 8] = a[64 x 32] b[8 x 32]^T.
extern "C" __global__ void groupS8(const signed char* a, const signed char* b, int* c) {
  __shared__ __align__(128) signed char tileA[64 * 32], tileB[8 * 32];
  const auto place = [](int row, int k) { return row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16; };
  for (int i = threadIdx.x; i < 64 * 32; i += 128) tileA[place(i / 32, i % 32)] = a[i];
  for (int i = threadIdx.x; i < 8 * 32; i += 128) tileB[place(i / 32, i % 32)] = b[i];
  asm volatile("fence.proxy.async;");
  __syncthreads();
  int d[4];
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %5, p; }"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "l"(descriptor(shared(tileA), 128, 256, 0)), "l"(descriptor(shared(tileB), 128, 256, 0)));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  c[row * 8 + column] = d[0], c[row * 8 + column + 1] = d[1];
  c[(row + 8) * 8 + column] = d[2], c[(row + 8) * 8 + column + 1] = d[3];
}

struct __align__(64) Map {
  char bytes[128];
};

// A box of 16 x 4 elements at (x, y), as it lies in shared memory.
extern "C" __global__ void boxIn(const __grid_constant__ Map map, int x, int y, int* out) {
  __shared__ __align__(128) int box[64];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(&barrier)));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(shared(&barrier)));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(shared(box)), "l"(&map), "r"(x), "r"(y), "r"(shared(&barrier)) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra L; }" :: "r"(shared(&barrier)) : "memory");
  out[threadIdx.x] = box[threadIdx.x];
}

extern "C" __global__ void boxOut(const __grid_constant__ Map map, int x, int y) {
  __shared__ __align__(128) int box[64];
  box[threadIdx.x] = threadIdx.x + 1;
  asm volatile("fence.proxy.async;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(x), "r"(y), "r"(shared(box)) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

template <int kM, int kN, int kK, typename T, typename C>
__device__ void tiles(const T* a, const T* b, C* c) {
  wmma::fragment<wmma::matrix_a, kM, kN, kK, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, kM, kN, kK, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, kM, kN, kK, C> fc;
  wmma::fill_fragment(fc, C(2));
  wmma::load_matrix_sync(fa, a, kK);
  wmma::load_matrix_sync(fb, b, kK);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, kN, wmma::mem_row_major);
}
extern "C" __global__ void tileF16(const __half* a, const __half* b, float* c) { tiles<16, 16, 16>(a, b, c); }
extern "C" __global__ void tileWide(const __half* a, const __half* b, float* c) { tiles<32, 8, 16>(a, b, c); }
extern "C" __global__ void tileBf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { tiles<8, 32, 16>(a, b, c); }
extern "C" __global__ void tileS8(const signed char* a, const signed char* b, int* c) { tiles<16, 16, 16>(a, b, c); }
extern "C" __global__ void tileF64(const double* a, const double* b, double* c) { tiles<8, 8, 4>(a, b, c); }
