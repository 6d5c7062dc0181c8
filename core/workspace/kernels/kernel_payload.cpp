#include "core/workspace/kernels/kernel_payload.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/ir/call_attributes.h"
#include "core/workspace/kernels/sha256.h"

namespace hilo {
namespace {

constexpr std::string_view kTyped = "mosaic_gpu_v2", kOpaque = "mosaic_gpu";
constexpr size_t kHashBytes = 32, kNumberBytes = 8;

std::string digitsOf(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

bool isModule(std::string_view bytes) {
  return bytes.starts_with("ML\xefR") || bytes.starts_with("module") || bytes.starts_with("#") ||
         bytes.starts_with("\"builtin.module\"");
}

std::unexpected<Diagnostic> noKernel(const Instruction& instruction, std::string_view why) {
  return fail("no-kernel", fmt::format("%{} has no kernel of Mosaic GPU: {}", instruction.name(), why),
              {.instruction = std::string(instruction.name())});
}

void putHash(KernelPayload& payload, std::string_view hash) {
  payload.hash = digitsOf(hash);
  payload.hashFits = hash == sha256(payload.module);
}

Result<KernelPayload> typedPayload(const Instruction& instruction, std::string_view config) {
  auto attributes = parseCallAttributes(config);
  if (!attributes) {
    attributes.error().place.instruction = instruction.name();
    return std::unexpected(std::move(attributes).error());
  }
  const auto find = [&](std::string_view name) -> const CallAttribute* {
    const auto found = std::ranges::find(*attributes, name, &CallAttribute::name);
    return found == attributes->end() ? nullptr : &*found;
  };
  const auto text = [&](std::string_view name) {
    const CallAttribute* found = find(name);
    return found != nullptr && found->kind == CallAttribute::Kind::String ? found->text : "";
  };
  const auto flag = [&](std::string_view name) {
    const CallAttribute* found = find(name);
    return found != nullptr && found->integers.size() == 1 && found->integers[0] != 0;
  };
  KernelPayload payload{.target = std::string(kTyped), .module = text("module")};
  if (payload.module.empty()) return noKernel(instruction, "its backend_config lacks `module`");
  if (find("kernel_hash") != nullptr) putHash(payload, text("kernel_hash"));
  payload.usesCustomBarrier = flag("use_custom_barrier");
  payload.usesCollectiveMetadata = flag("uses_xla_collective_metadata");
  payload.replicaIds = text("xla_replica_ids");
  payload.multimem = text("multimem_parameters");
  return payload;
}

Result<KernelPayload> opaquePayload(const Instruction& instruction, std::string_view config) {
  KernelPayload payload{.target = std::string(kOpaque)};
  if (config.size() > kHashBytes && isModule(config.substr(kHashBytes))) {
    payload.module = config.substr(kHashBytes);
    putHash(payload, config.substr(0, kHashBytes));
  } else if (config.size() > kNumberBytes && isModule(config.substr(kNumberBytes))) {
    payload.module = config.substr(kNumberBytes);
  } else {
    return noKernel(instruction, "its backend_config is no hash and module");
  }
  return payload;
}

}  // namespace

bool carriesKernel(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::CustomCall) return false;
  const std::string_view target = instruction.get<Attr::CustomCallTarget>();
  return target == kTyped || target == kOpaque;
}

Result<KernelPayload> kernelPayload(const Instruction& instruction) {
  if (!carriesKernel(instruction)) return noKernel(instruction, "it calls something else");
  const std::string_view config = instruction.get<Attr::BackendConfig>();
  if (config.empty()) return noKernel(instruction, "its backend_config is empty");
  return instruction.get<Attr::CustomCallTarget>() == kTyped ? typedPayload(instruction, config)
                                                             : opaquePayload(instruction, config);
}

}  // namespace hilo
