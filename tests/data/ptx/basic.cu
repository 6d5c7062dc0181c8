// arch=sm_80: kernels whose threads wait for each other in the usual ways.
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void blockReduce(const float* in, float* out, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

extern "C" __global__ void warpScan(const int* in, int* out) {
  int lane = threadIdx.x % 32, at = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[at];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, step);
    if (lane >= step) value += other;
  }
  out[at] = value;
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tileA[16][16], tileB[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tileA[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void votes(const int* in, unsigned* out) {
  int value = in[threadIdx.x];
  unsigned odd = __ballot_sync(0xffffffff, value & 1);
  unsigned same = __match_any_sync(0xffffffff, value);
  int areAll;
  __match_all_sync(0xffffffff, value, &areAll);
  unsigned flags = (__any_sync(0xffffffff, value > 100) ? 1 : 0) | (__all_sync(0xffffffff, value > 0) ? 2 : 0) | (areAll ? 4 : 0);
  out[threadIdx.x * 3] = odd;
  out[threadIdx.x * 3 + 1] = same;
  out[threadIdx.x * 3 + 2] = flags;
}

extern "C" __global__ void stencil(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float partial[32];
  const float* row = in + blockIdx.x * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = most;
  __syncthreads();
  most = partial[0];
  for (int i = 1; i < blockDim.x / 32; ++i) most = fmaxf(most, partial[i]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(row[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) sum += partial[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
}

// Blocks wait for the one before them.
extern "C" __global__ void chain(volatile unsigned* flags, unsigned* order) {
  if (threadIdx.x == 0) {
    unsigned last = gridDim.x - 1 - blockIdx.x;  // the last block goes first
    if (last > 0) {
      while (flags[blockIdx.x + 1] == 0) {
      }
    }
    order[last] = blockIdx.x;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}
