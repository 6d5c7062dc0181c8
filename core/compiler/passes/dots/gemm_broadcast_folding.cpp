#include "core/compiler/passes/dots/gemm_broadcast_folding.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

constexpr std::string_view kPart = "gemm_backend_config", kField = "dot_dimension_numbers";
constexpr const char* kBatch[] = {"lhs_batch_dimensions", "rhs_batch_dimensions"};
constexpr const char* kContracting[] = {"lhs_contracting_dimensions", "rhs_contracting_dimensions"};

using Json = nlohmann::ordered_json;

// Numbers are written as text, as protobuf does those of 64 bits. Nothing where they are none.
std::optional<std::vector<int64_t>> numbersOf(const Json& config, const char* name) {
  std::vector<int64_t> numbers;
  const auto found = config.find(name);
  if (found == config.end()) return numbers;
  for (const Json& item : *found) {
    int64_t number = 0;
    if (item.is_number_integer())
      number = item.get<int64_t>();
    else if (!item.is_string() || !absl::SimpleAtoi(item.get<std::string>(), &number))
      return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

bool isGemm(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall || i.operandCount() < 2) return false;
  const std::string_view target = i.get<Attr::CustomCallTarget>();
  return target == "__cublas$gemm" || target == "__cublas$lt$matmul";
}

// Whether what the broadcast adds are `batches` dimensions, in front.
bool addsInFront(const Instruction& broadcast, size_t batches) {
  const auto kept = broadcast.get<Attr::Dimensions>();
  if (batches == 0 || broadcast.shape().rank() != kept.size() + batches) return false;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != static_cast<int64_t>(i + batches)) return false;
  }
  return true;
}

// The dimension numbers of the call when it takes what is broadcast as its operand `side`.
std::optional<Json> withoutBatches(const Instruction& gemm, size_t side) {
  const Instruction& broadcast = *gemm.operand(side);
  if (broadcast.opcode() != Opcode::Broadcast) return std::nullopt;
  Json config = Json::parse(gpuConfig(gemm, kPart, kField), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return std::nullopt;
  const auto batch = numbersOf(config, kBatch[side]), other = numbersOf(config, kBatch[1 - side]),
             contracting = numbersOf(config, kContracting[side]);
  // Of two operands without batch dimensions the result would have none.
  if (!batch || !other || other->empty() || !contracting || contracting->size() != 1 ||
      !addsInFront(broadcast, batch->size()))
    return std::nullopt;
  const auto count = static_cast<int64_t>(batch->size());
  if (std::ranges::any_of(*batch, [&](int64_t d) { return d < 0 || d >= count; })) return std::nullopt;
  config[kBatch[side]] = Json::array();
  config[kContracting[side]] = Json::array({std::to_string(contracting->front() - count)});
  return config;
}

}  // namespace

Result<bool> foldGemmBroadcasts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      for (size_t side = 0; side < 2 && isGemm(*i); ++side) {
        const auto numbers = withoutBatches(*i, side);
        if (!numbers) continue;
        if (!context.mayChange(*i)) return changed;
        Instruction* broadcast = i->operand(side);
        context.remark(*i, "folded", fmt::format("reads %{} in each batch", broadcast->operand(0)->name()));
        i->setOperand(side, broadcast->operand(0));
        setGpuConfig(*i, kPart, kField, numbers->dump());
        changed = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace hilo
