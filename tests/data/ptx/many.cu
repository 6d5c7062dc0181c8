// arch=sm_80: small kernels of every usual kind, all of (x, y, n): many_kernels_test.cpp has the host's version of each.
#include <cuda_fp16.h>

#define KERNEL(name) extern "C" __global__ void name(const int* x, int* y, int n)
#define AT int t = threadIdx.x, i = blockIdx.x * blockDim.x + t
constexpr unsigned kAll = 0xffffffff;

KERNEL(reverseBlock) {
  __shared__ int tile[256];
  AT;
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[255 - t];
}
KERNEL(scanSteps) {
  __shared__ int tile[2][256];
  AT;
  int from = 0;
  tile[0][t] = x[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2, from ^= 1) {
    tile[from ^ 1][t] = tile[from][t] + (t >= step ? tile[from][t - step] : 0);
    __syncthreads();
  }
  y[i] = tile[from][t];
}
KERNEL(scanTree) {
  __shared__ int tree[256];
  AT;
  tree[t] = x[i];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    int at = (t + 1) * step * 2 - 1;
    if (at < 256) tree[at] += tree[at - step];
  }
  __syncthreads();
  if (t == 0) tree[255] = 0;
  for (int step = 128; step > 0; step /= 2) {
    __syncthreads();
    int at = (t + 1) * step * 2 - 1;
    if (at < 256) {
      int left = tree[at - step];
      tree[at - step] = tree[at];
      tree[at] += left;
    }
  }
  __syncthreads();
  y[i] = tree[t];
}
KERNEL(warpSums) {
  AT;
  int sum = x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
  if (t % 32 == 0) y[i / 32] = sum;
}
KERNEL(warpMost) {
  AT;
  int most = x[i];
  for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(kAll, most, step));
  y[i] = most;
}
KERNEL(blockSums) {
  __shared__ int sums[8];
  AT;
  int sum = x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < 8 ? sums[t] : 0;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
    if (t == 0) y[blockIdx.x] = sum;
  }
}
KERNEL(warpRedux) {
  AT;
  y[i] = __reduce_add_sync(kAll, x[i]) + __reduce_max_sync(kAll, x[i]) * 1000 + __reduce_min_sync(kAll, x[i]);
}
KERNEL(compactWarps) {
  AT;
  bool keeps = x[i] > 0;
  unsigned kept = __ballot_sync(kAll, keeps);
  if (keeps) y[i / 32 * 32 + __popc(kept & ((1u << t % 32) - 1))] = x[i];
}
KERNEL(compactBlocks) {
  __shared__ int counts[8];
  AT;
  bool keeps = x[i] % 3 == 0;
  unsigned kept = __ballot_sync(kAll, keeps);
  if (t % 32 == 0) counts[t / 32] = __popc(kept);
  __syncthreads();
  int before = 0;
  for (int w = 0; w < t / 32; ++w) before += counts[w];
  if (keeps) y[blockIdx.x * 256 + before + __popc(kept & ((1u << t % 32) - 1))] = x[i];
}
KERNEL(sortBitonic) {
  __shared__ int tile[256];
  AT;
  tile[t] = x[i];
  for (int size = 2; size <= 256; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int other = t ^ step;
      if (other > t) {
        bool up = (t & size) == 0;
        int a = tile[t], b = tile[other];
        if ((a > b) == up) tile[t] = b, tile[other] = a;
      }
    }
  }
  __syncthreads();
  y[i] = tile[t];
}
KERNEL(sortOddEven) {
  __shared__ int tile[64];
  AT;
  tile[t] = x[i];
  for (int round = 0; round < 64; ++round) {
    __syncthreads();
    if (t % 2 == round % 2 && t + 1 < 64 && tile[t] > tile[t + 1]) {
      int a = tile[t];
      tile[t] = tile[t + 1], tile[t + 1] = a;
    }
  }
  __syncthreads();
  y[i] = tile[t];
}
KERNEL(stencilHalo) {
  __shared__ int tile[258];
  AT;
  tile[t + 1] = x[i];
  if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (t == 255) tile[257] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  y[i] = tile[t] - 2 * tile[t + 1] + tile[t + 2];
}
KERNEL(stencilRounds) {
  __shared__ int tile[256];
  AT;
  tile[t] = x[i];
  for (int round = 0; round < 10; ++round) {
    __syncthreads();
    int sum = tile[t] + tile[(t + 1) % 256];
    __syncthreads();
    tile[t] = sum % 1000;
  }
  y[i] = tile[t];
}
KERNEL(gathers) { AT; y[i] = x[i * 17 % n]; }
KERNEL(scatters) { AT; y[n - 1 - i] = x[i]; }
KERNEL(gridStride) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 3 + i; }
KERNEL(atomicMost) { AT; atomicMax(y, x[i]); atomicMin(y + 1, x[i]); atomicAdd(y + 2, x[i]); }
KERNEL(casAdds) {
  AT;
  int expected, old = atomicAdd(y, 0);
  do {
    expected = old;
    old = atomicCAS(y, expected, expected + x[i]);
  } while (old != expected);
}
KERNEL(atomicBits) { AT; atomicOr(y, 1 << (x[i] & 31)); atomicXor(y + 1, x[i]); atomicAnd(y + 2, x[i]); atomicExch(y + 3 + i, x[i]); atomicInc(reinterpret_cast<unsigned*>(y) + 2000, 99); }
KERNEL(histogramShared) {
  __shared__ int bins[16];
  AT;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[x[i] & 15], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&y[t], bins[t]);
}
KERNEL(rowSums) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, sum = 0;
  for (int i = threadIdx.x % 32; i < 32 * (row % 3 + 1) && row * 32 + i < n; i += 32) sum += x[row * 32 + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAll, sum, step);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
// Each block adds what the one before published: decoupled look-back.
KERNEL(lookBack) {
  __shared__ int sums[256];
  __shared__ int before;
  AT;
  volatile int* states = y + n;
  sums[t] = x[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    int add = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    int last = 0;
    if (blockIdx.x > 0) {
      while (states[(blockIdx.x - 1) * 2] == 0) {
      }
      __threadfence();
      last = states[(blockIdx.x - 1) * 2 + 1];
    }
    states[blockIdx.x * 2 + 1] = last + sums[255];
    __threadfence();
    states[blockIdx.x * 2] = 1;
    before = last;
  }
  __syncthreads();
  y[i] = sums[t] + before;
}
KERNEL(spinLock) {
  AT;
  if (t % 32 == 0) {
    while (atomicCAS(y, 0, 1) != 0) __nanosleep(10);
    __threadfence();
    y[1] += x[i];
    __threadfence();
    atomicExch(y, 0);
  }
}
KERNEL(lastBlock) {
  __shared__ bool isLast;
  __shared__ int sum;
  AT;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[i]);
  __syncthreads();
  if (t == 0) {
    y[blockIdx.x + 2] = sum;
    __threadfence();
    isLast = atomicAdd(y, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (isLast && t == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += y[b + 2];
    y[1] = all;
  }
}
KERNEL(dynamicShared) {
  extern __shared__ int room[];
  AT;
  room[t * 2] = x[i];
  room[t * 2 + 1] = -x[i];
  __syncthreads();
  y[i] = room[(t + 1) % 256 * 2] + 2 * room[(t + 2) % 256 * 2 + 1];
}
KERNEL(vectors) {
  AT;
  if (i < n / 4) {
    int4 v = reinterpret_cast<const int4*>(x)[i];
    reinterpret_cast<int4*>(y)[i] = make_int4(v.w, v.z, v.y + 1, v.x - 1);
  }
}
KERNEL(bytes) { AT; y[i] = __vadd4(x[i], 0x01020304) ^ __byte_perm(x[i], i, 0x6152) ^ __dp4a(x[i], i, 7); }
KERNEL(bits) { AT; y[i] = __popc(x[i]) + __clz(x[i]) * 100 + __ffs(x[i]) * 10000 ^ __brev(i) ^ __funnelshift_l(x[i], i, i % 32); }
KERNEL(wide) { AT; long long a = 1234567890123LL * x[i]; y[i] = static_cast<int>(a >> 20) ^ static_cast<int>(__umul64hi(a, 987654321987ULL)) ^ __mulhi(x[i] * 12345, i * 54321); }
KERNEL(divides) { AT; int d = i % 13 + 1; y[i] = x[i] / d * 1000 + x[i] % d + static_cast<unsigned>(x[i] & 0xffff) / 7u; }
KERNEL(localArray) {
  AT;
  int own[16];
  for (int k = 0; k < 16; ++k) own[k] = x[i] + k * k;
  for (int k = 0; k < 16; ++k) own[(own[k] & 0x7fffffff) % 16] += k;
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum = sum * 3 + own[k];
  y[i] = sum;
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL(recursion) { AT; y[i] = fibonacci(i % 9); }
__device__ __noinline__ int sumOfBlock(int* room, int value) {
  room[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += room[(threadIdx.x + k) % 256];
  __syncthreads();
  return sum;
}
KERNEL(barrierInFunction) {
  __shared__ int room[256];
  AT;
  int first = sumOfBlock(room, x[i]);
  y[i] = sumOfBlock(room, first % 100) + first;
}
KERNEL(switches) {
  AT;
  int v = x[i];
  switch (i % 7) {
    case 0: v += 5; break;
    case 1: v *= 3; break;
    case 2: v ^= 0x55; break;
    case 3: v -= i; break;
    case 4: v = v << 2; break;
    case 5: v = -v; break;
    default: v = v >> 1;
  }
  y[i] = v;
}
KERNEL(halves) { AT; __half2 a = __floats2half2_rn(x[i] % 64 * 0.5f, i % 64 * 0.25f); a = __hfma2(a, a, __float2half2_rn(1.0f)); y[i] = static_cast<int>(__low2float(a)) + static_cast<int>(__high2float(a)); }
KERNEL(floats) { AT; float v = sqrtf(fabsf(static_cast<float>(x[i]))) / (i + 1.0f); y[i] = __float_as_int(fmaf(v, 3.0f, floorf(v * 10))); }
KERNEL(doubles) { AT; double v = sqrt(fabs(static_cast<double>(x[i]))) / (i + 1.0); y[i] = static_cast<int>(fma(v, 1e6, 0.5)) ^ static_cast<int>(__double_as_longlong(v)); }
KERNEL(segments) { AT; y[i] = __shfl_sync(kAll, x[i], 3, 8) + __shfl_up_sync(kAll, x[i], 1, 16) + __shfl_down_sync(kAll, x[i], 2, 4); }
KERNEL(variableShuffle) { AT; y[i] = __shfl_sync(kAll, x[i], x[i] & 31); }
KERNEL(groups) { AT; y[i] = __popc(__match_any_sync(kAll, x[i] & 7)); }
KERNEL(blockVotes) { AT; y[i] = __syncthreads_count(x[i] > 0) + (__syncthreads_and(x[i] > -1000) ? 1000 : 0) + (__syncthreads_or(x[i] > 2000) ? 10000 : 0); }
// Half of the block makes what the other half uses.
KERNEL(namedBarriers) {
  __shared__ int room[128];
  AT;
  for (int round = 0; round < 4; ++round) {
    if (t < 128) {
      if (round > 0) asm volatile("bar.sync 2, 256;" ::: "memory");
      room[t] = x[i] + round;
      asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 256;" ::: "memory");
      y[i] += room[255 - t];
      if (round < 3) asm volatile("bar.arrive 2, 256;" ::: "memory");
    }
  }
}
KERNEL(collatz) {
  AT;
  int steps = 0;
  for (unsigned v = (x[i] & 255) + 1; v != 1; ++steps) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
  y[i] = steps;
}
KERNEL(divergentShuffle) {
  AT;
  int v = x[i];
  if (t % 32 < 16) {
    v = __shfl_xor_sync(0x0000ffff, v, 1);
  } else {
    v = __shfl_xor_sync(0xffff0000, v, 8) * 2;
  }
  y[i] = v + __shfl_sync(kAll, v, 31 - t % 32);
}
KERNEL(loopsOfWarps) {
  AT;
  int sum = 0;
  for (int k = 0; k <= t / 32; ++k) sum += __shfl_sync(kAll, x[i] + k, k);
  y[i] = sum;
}
KERNEL(partWarps) {
  AT;
  if (i >= n - 5) return;
  unsigned mask = __activemask();
  y[i] = __popc(mask) > 0 ? x[i] + 1 : 0;
}
