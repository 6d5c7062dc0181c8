#include "core/compiler/passes/dots/triton/tile_config.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/triton/triton_gemm.h"

namespace hilo {
namespace {

using nlohmann::json;

int64_t numberOf(const json& config, const char* name, int64_t otherwise) {
  const auto found = config.find(name);
  if (found == config.end()) return otherwise;
  if (found->is_number_integer()) return found->get<int64_t>();
  int64_t number = otherwise;
  if (found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

std::optional<json> tilesOf(const Instruction& fusion) {
  const auto config = json::parse(fusion.get<Attr::BackendConfig>(), nullptr, /*allow_exceptions=*/false);
  if (!config.is_object() || !config.contains("fusion_backend_config")) return std::nullopt;
  const json& of = config["fusion_backend_config"];
  if (!of.is_object() || !of.contains("triton_gemm_config") || !of["triton_gemm_config"].is_object())
    return std::nullopt;
  return of["triton_gemm_config"];
}

std::string quoted(int64_t number) { return fmt::format("\"{}\"", number); }

std::string blockConfig(const json& tiles, size_t rank) {
  std::string sizes;
  for (size_t d = 0; d + 2 < rank; ++d) sizes += quoted(1) + ",";
  sizes += quoted(numberOf(tiles, "block_m", 1)) + "," + quoted(numberOf(tiles, "block_n", 1));
  return fmt::format(
      R"({{"fusion_backend_config":{{"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":)"
      R"({{"output_tiles":[{{"sizes":[{}]}}],"num_warps":{},"num_ctas":{},"num_stages":{}}}}}}})",
      sizes, quoted(numberOf(tiles, "num_warps", 4)), numberOf(tiles, "num_ctas", 1),
      numberOf(tiles, "num_stages", 1));
}

}  // namespace

Result<bool> convertTritonConfigs(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* fusion : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (fusion->opcode() != Opcode::Fusion) continue;
      const auto tiles = tilesOf(*fusion);
      Instruction* dot = tiles ? dotOf(*fusion->get<Attr::Calls>()) : nullptr;
      if (dot == nullptr) continue;
      if (!fusion->shape().isArray() || fusion->shape().rank() != dot->shape().rank() ||
          dot->shape().rank() < 2) {
        context.remark(*fusion, "missed", "its result has other dimensions than the dot");
        continue;
      }
      if (!context.mayChange(*fusion)) return changed;
      dot->set<Attr::BackendConfig>(
          fmt::format(R"({{"sizes":[{}]}})", quoted(numberOf(*tiles, "block_k", 1))));
      fusion->set<Attr::BackendConfig>(blockConfig(*tiles, dot->shape().rank()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
