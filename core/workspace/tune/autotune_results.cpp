#include "core/workspace/tune/autotune_results.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/analysis/cost/processor_limits.h"
#include "core/hlo/proto/message_io.h"
#include "core/hlo/proto/schema/autotune.pb.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

constexpr int kVersion = 3;
// What the entries of Hilo's own kernels are called, of those that XLA has no key for.
constexpr const char* kOwnBackend = "HILO_KERNEL";

std::string textOf(const pb::AutotuneResult& result) {
  using Key = pb::AutotuneResult::KeyCase;
  switch (result.key_case()) {
    case Key::kConv:
      return fmt::format("convolution algorithm {}", result.conv().algorithm());
    case Key::kGemm:
      return fmt::format("cublas algorithm {}", result.gemm().algorithm());
    case Key::kTriton: {
      const auto& t = result.triton();
      return fmt::format("triton {}x{}x{}, {} warps, {} stages{}", t.block_m(), t.block_n(), t.block_k(),
                         t.num_warps(), t.num_stages(),
                         t.split_k() > 1 ? fmt::format(", split {}", t.split_k()) : "");
    }
    case Key::kCudaConvPlan:
      return fmt::format("convolution plan {}", result.cuda_conv_plan().exec_plan_id());
    case Key::kCustomKernelFusion:
      return fmt::format("custom kernel {}", result.custom_kernel_fusion().kernel_index());
    case Key::kAlgorithm:
      return fmt::format("cudnn algorithm {}", result.algorithm().algo_id());
    case Key::kOther:
      return result.other().name();
    case Key::KEY_NOT_SET:
      return result.has_failure() ? "failed: " + result.failure().msg() : "nothing";
  }
  return "";
}

// Tiles of Triton are squares of tensor cores here, of the nearest size.
std::optional<GpuKernelChoice> kernelOf(const pb::AutotuneResult& result) {
  using Key = pb::AutotuneResult::KeyCase;
  switch (result.key_case()) {
    case Key::kGemm:
    case Key::kAlgorithm:
    case Key::kConv:
    case Key::kCudaConvPlan:
      return GpuKernelChoice{.shape = "library call"};
    case Key::kTriton: {
      const int64_t size = result.triton().block_m() * result.triton().block_n() > 64 * 64 ? 128 : 64;
      return GpuKernelChoice{.shape = "tensor dot", .rows = size, .columns = size};
    }
    case Key::kOther:
      if (result.other().name() == kOwnBackend) return parseGpuKernelChoice(result.other().config().value());
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// A duration of XLA's is seconds and nanoseconds.
int64_t nsOf(const pb::AutotuneResult& result) {
  constexpr int64_t kMostSeconds = 1'000'000;
  const auto& time = result.run_time();
  if (time.seconds() < 0 || time.seconds() > kMostSeconds || time.nanos() < 0) return 0;
  return time.seconds() * 1'000'000'000 + time.nanos();
}

void put(const GpuKernelChoice& choice, pb::AutotuneResult& result) {
  if (choice.shape == "library call") {
    result.mutable_gemm()->set_algorithm(-1);  // the library's own choice, as XLA has it
  } else if (choice.rows != 0) {
    auto& triton = *result.mutable_triton();
    triton.set_block_m(choice.rows);
    triton.set_block_n(choice.columns);
    triton.set_block_k(32);
    triton.set_split_k(1);
    triton.set_num_stages(choice.rows > 64 ? 3 : 2);
    triton.set_num_warps(8);
    triton.set_num_ctas(1);
  } else {
    auto& other = *result.mutable_other();
    other.set_name(kOwnBackend);
    other.mutable_config()->set_type_url("hilo/gpu_kernel");
    other.mutable_config()->set_value(toString(choice));
  }
}

// "CUDA: 9.0,"
std::string capabilityKey(const DeviceDescription& device) {
  return fmt::format("CUDA: {},", device.computeCapability);
}

}  // namespace

struct AutotuneResults::Message {
  pb::AutotuneResults results;
};

AutotuneResults::AutotuneResults() : message_(std::make_unique<Message>()) {
  message_->results.set_version(kVersion);
}
AutotuneResults::AutotuneResults(AutotuneResults&&) noexcept = default;
AutotuneResults& AutotuneResults::operator=(AutotuneResults&&) noexcept = default;
AutotuneResults::~AutotuneResults() = default;

std::string xlaAutotuneKey(const Instruction& instruction) {
  PrintOptions options = PrintOptions::canonical();
  if (instruction.opcode() != Opcode::Fusion) {
    options.backendConfig = true;
    options.sortBackendConfig = true;
    return printInstruction(instruction, options);
  }
  options.subcomputations = PrintOptions::Subcomputations::Off;
  options.infeedOutfeedConfig = false;
  options.essentialConstants = true;
  options.operandShapes = true;
  options.ids = false;
  return printComputation(*instruction.calledComputations()[0], options);
}

std::string xlaDeviceKey(const DeviceDescription& device) {
  const auto limits = limitsOf(device.computeCapability);
  const double megabytes = limits ? static_cast<double>(limits->l2Bytes) / (1 << 20) : 0;
  return fmt::format(
      "{} Cores: {}, GPU clock: {:g} GHz, Memory bandwidth: {:g} GB/s, L2 cache: {:g} MB, DNN version: 0.0.0",
      capabilityKey(device), device.processors, device.clockMHz / 1000,
      std::round(device.memoryBandwidthGBps), megabytes);
}

Result<AutotuneResults> AutotuneResults::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("read-failed", fmt::format("cannot read {}", path));
  std::ostringstream text;
  text << file.rdbuf();
  AutotuneResults read;
  pb::AutotuneResults& results = read.message_->results;
  results.Clear();
  Diagnostics unknown;  // fields of newer files
  TRY_STATUS(isTextProtoName(path) ? parseTextMessage(text.str(), results, unknown, path)
                                   : parseBinaryMessage(text.str(), results));
  if (results.version() != kVersion)
    return fail("wrong-version", fmt::format("{} has version {} of autotune results, {} is read", path,
                                             results.version(), kVersion));
  return read;
}

Status AutotuneResults::write(const std::string& path) const {
  std::string bytes;
  if (isTextProtoName(path)) {
    bytes = toTextProto(message_->results);
  } else {
    TRY(bytes, toBinaryProto(message_->results));
  }
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.flush();
  if (!file) return fail("write-failed", fmt::format("cannot write {}", path));
  return {};
}

size_t AutotuneResults::size() const { return static_cast<size_t>(message_->results.results_size()); }

std::optional<XlaChoice> AutotuneResults::find(const DeviceDescription& device,
                                               const Instruction& instruction) const {
  const std::string hlo = xlaAutotuneKey(instruction), capability = capabilityKey(device);
  for (const auto& entry : message_->results.results()) {
    if (entry.hlo() != hlo || !entry.device().starts_with(capability)) continue;
    return XlaChoice{.text = textOf(entry.result()),
                     .kernel = kernelOf(entry.result()),
                     .runNs = nsOf(entry.result()),
                     .scratchBytes = entry.result().scratch_bytes()};
  }
  return std::nullopt;
}

void AutotuneResults::set(const DeviceDescription& device, const Instruction& instruction,
                          const GpuKernelChoice& choice, int64_t runNs, int64_t scratchBytes) {
  const std::string key = xlaDeviceKey(device), hlo = xlaAutotuneKey(instruction);
  pb::AutotuneResults::Entry* entry = nullptr;
  for (auto& each : *message_->results.mutable_results()) {
    if (each.hlo() == hlo && each.device() == key) entry = &each;
  }
  if (entry == nullptr) entry = message_->results.add_results();
  entry->set_device(key);
  entry->set_hlo(hlo);
  entry->set_version(kVersion);
  pb::AutotuneResult& result = *entry->mutable_result();
  result.Clear();
  put(choice, result);
  result.set_scratch_bytes(scratchBytes);
  result.mutable_run_time()->set_seconds(runNs / 1'000'000'000);
  result.mutable_run_time()->set_nanos(static_cast<int32_t>(runNs % 1'000'000'000));
}

void AutotuneResults::addFrom(const AutotuneResults& other) {
  for (const auto& entry : other.message_->results.results()) {
    const bool isHere = std::ranges::any_of(message_->results.results(), [&](const auto& each) {
      return each.hlo() == entry.hlo() && each.device() == entry.device();
    });
    if (!isHere) *message_->results.add_results() = entry;
  }
}

}  // namespace hilo
