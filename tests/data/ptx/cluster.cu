// arch=sm_90: clusters, barriers in memory, bulk copies.
#include <cooperative_groups.h>
#include <cstdio>

#include <cuda/barrier>
namespace cg = cooperative_groups;

// Each block of a pair reads the shared memory of the other.
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours(int* out) {
  __shared__ int own[32];
  auto cluster = cg::this_cluster();
  own[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  const int* other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

// Producers and consumers by arrivals of a barrier in shared memory.
extern "C" __global__ void phases(int* data, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int value = data[threadIdx.x];
  for (int round = 0; round < rounds; ++round) {
    values[threadIdx.x] = value;
    barrier.arrive_and_wait();
    value += values[(threadIdx.x + 1) % 64];
    barrier.arrive_and_wait();
  }
  data[threadIdx.x] = value;
}

// A bulk copy that tells a barrier of its bytes.
extern "C" __global__ void bulk(const int* in, int* out) {
  __shared__ __align__(16) int stage[256];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(stage));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(1024));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(in), "r"(1024), "r"(at));
  }
  asm volatile(
      "{\n.reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@done bra over;\nbra wait;\n"
      "over:\n}" ::"r"(at));
  for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i] = stage[255 - i];
}

// The whole grid meets.
extern "C" __global__ void gridMeets(int* flags, int* out, unsigned* arrived) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  flags[at] = at;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[at] = flags[(at + blockDim.x) % all];
}

// Lanes that are there find each other.
extern "C" __global__ void aggregated(int* counter, int* places) {
  if (threadIdx.x % 3 != 0) return;
  auto group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
  places[threadIdx.x] = group.shfl(first, 0) + group.thread_rank();
}

__device__ int plusOne(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ int (*operations[2])(int) = {plusOne, twice};
extern "C" __global__ void byTable(int* data) { data[threadIdx.x] = operations[threadIdx.x % 2](data[threadIdx.x]); }

__constant__ int shifts[4] = {1, 2, 3, 4};
extern "C" __global__ void prints(int value) {
  printf("thread %d: %d %.2f %s\n", threadIdx.x, value << shifts[threadIdx.x], value / 4.0, "end");
}
