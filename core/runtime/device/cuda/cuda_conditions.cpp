#include "core/runtime/device/cuda/cuda_conditions.h"

#include <cstdlib>
#include <filesystem>

namespace hilo {
namespace {

constexpr const char* kSetCondition = R"(
.version 7.5
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);
.visible .entry hilo_set_condition(
  .param .u64 condition, .param .u64 address, .param .u32 kind, .param .u32 count)
{
  .reg .pred %p<5>;
  .reg .b16 %h<2>;
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [condition];
  ld.param.u64 %d2, [address];
  ld.param.u32 %r1, [kind];
  ld.param.u32 %r2, [count];
  cvta.to.global.u64 %d3, %d2;
  setp.eq.u32 %p1, %r1, 2;
  @%p1 bra branch;
  ld.global.u8 %h1, [%d3];
  setp.ne.u16 %p2, %h1, 0;
  setp.eq.u32 %p3, %r1, 1;
  selp.u32 %r3, 1, 0, %p2;
  xor.b32 %r4, %r3, 1;
  selp.b32 %r5, %r4, %r3, %p3;
  bra.uni set;
branch:
  ld.global.u32 %r3, [%d3];
  setp.lt.u32 %p4, %r3, %r2;
  sub.u32 %r4, %r2, 1;
  selp.b32 %r5, %r3, %r4, %p4;
set:
  {
    .param .b64 first;
    .param .b32 second;
    st.param.b64 [first], %d1;
    st.param.b32 [second], %r5;
    call.uni cudaGraphSetConditional, (first, second);
  }
  ret;
}
)";

}  // namespace

std::string cudaDeviceRuntime() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  roots.insert(roots.end(), {"/usr/local/cuda", "/usr/lib/cuda", "/opt/cuda", "/usr"});
  for (const std::string& root : roots) {
    for (const char* folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/", "/lib/x86_64-linux-gnu/"}) {
      const std::string path = root + folder + "libcudadevrt.a";
      std::error_code error;
      if (std::filesystem::is_regular_file(path, error)) return path;
    }
  }
  return "";
}

CudaConditions::~CudaConditions() {
  if (module_ != nullptr) (void)context_.call(context_.driver().moduleUnload, module_);
}

std::string CudaConditions::whyNot() const {
  const DriverGraphFunctions& graphs = context_.driver().graphs();
  if (!graphs.lacking.empty()) return graphs.lacking;
  if (!graphs.lackingForLoops.empty()) return graphs.lackingForLoops;
  return cudaDeviceRuntime().empty()
             ? "libcudadevrt.a was not found, which sets conditions of graphs (CUDA toolkit: cuda-cudart-dev)"
             : "";
}

Result<DriverKernel> CudaConditions::kernel() {
  const std::scoped_lock lock(mutex_);
  if (kernel_ != nullptr) return kernel_;
  if (const std::string why = whyNot(); !why.empty()) return fail("no-graphs", why);
  TRY_STATUS(link(cudaDeviceRuntime()));
  return kernel_;
}

Status CudaConditions::link(const std::string& library) {
  const Driver& driver = context_.driver();
  const DriverGraphFunctions& graphs = driver.graphs();
  DriverJitOption* const noOptions = nullptr;
  void** const noValues = nullptr;
  DriverLink link = nullptr;
  TRY_STATUS(context_.call(graphs.linkCreate, 0U, noOptions, noValues, &link));
  const auto linked = [&]() -> Status {
    const std::string_view ptx = kSetCondition;
    TRY_STATUS(context_.call(graphs.linkAddData, link, kLinkPtx, static_cast<const void*>(ptx.data()),
                             ptx.size() + 1, "hilo_set_condition.ptx", 0U, noOptions, noValues));
    TRY_STATUS(
        context_.call(graphs.linkAddFile, link, kLinkLibrary, library.c_str(), 0U, noOptions, noValues));
    void* code = nullptr;
    size_t bytes = 0;
    TRY_STATUS(context_.call(graphs.linkComplete, link, &code, &bytes));
    TRY_STATUS(context_.call(driver.moduleLoadData, &module_, static_cast<const void*>(code), 0U, noOptions,
                             noValues));
    return context_.call(driver.moduleGetFunction, &kernel_, module_, "hilo_set_condition");
  };
  Status done = linked();
  (void)context_.call(graphs.linkDestroy, link);
  return done;
}

}  // namespace hilo
