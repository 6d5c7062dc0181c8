// How a graph decides by itself: a kernel that reads a pred or an s32 and sets the condition of a node. The
// function it calls is in NVIDIA's library libcudadevrt.a, which the driver links to it.
#pragma once

#include <mutex>
#include <optional>

#include "core/runtime/device/cuda/cuda_context.h"

namespace hilo {

// Threads: any.
class CudaConditions {
 public:
  explicit CudaConditions(const CudaContext& context) : context_(context) {}
  ~CudaConditions();
  CudaConditions(const CudaConditions&) = delete;
  CudaConditions& operator=(const CudaConditions&) = delete;

  // Why there are no conditions here: what the driver lacks, or the library; "" where there are.
  std::string whyNot() const;
  // set(condition, address, kind): to what lies at the address. Linked at the first call. Error kinds:
  // "no-graphs" and the driver's.
  Result<DriverKernel> kernel();
  // A pred as 1 or 0, its opposite of branches (true is 0), or an s32 below `count`, where another is count
  // - 1.
  static constexpr uint32_t kPred = 0, kBranchOfPred = 1, kBranch = 2;

 private:
  Status link(const std::string& library);

  const CudaContext& context_;
  std::mutex mutex_;
  DriverModule module_ = nullptr;
  DriverKernel kernel_ = nullptr;
};

// Where libcudadevrt.a is, of CUDA_HOME, CUDA_PATH and the usual folders; "" where it is in none.
std::string cudaDeviceRuntime();

}  // namespace hilo
