// arch=sm_80: CUB's device reduce, scan, radix sorts and histogram, as their host code makes kernels of them.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

template cudaError_t cub::DeviceReduce::Sum(void*, size_t&, const int*, int*, int, cudaStream_t);
template cudaError_t cub::DeviceScan::InclusiveSum(void*, size_t&, const int*, int*, int, cudaStream_t);
template cudaError_t cub::DeviceRadixSort::SortKeys(void*, size_t&, const unsigned*, unsigned*, int, int, int,
                                                    cudaStream_t);
// Keys of 16 bits are sorted in three kernels a pass, those of 32 bits in one.
template cudaError_t cub::DeviceRadixSort::SortKeys(void*, size_t&, const unsigned short*, unsigned short*,
                                                    int, int, int, cudaStream_t);
template cudaError_t cub::DeviceRadixSort::SortPairs(void*, size_t&, const unsigned*, unsigned*,
                                                     const unsigned*, unsigned*, int, int, int, cudaStream_t);
template cudaError_t cub::DeviceHistogram::HistogramEven(void*, size_t&, const unsigned char*, int*, int, int,
                                                         int, int, cudaStream_t);
