#include "core/compiler/passes/dots/triton/tile_config.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/compiler/pass/main_computations.h"

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

// The product, scaled or not; null where there is none, or more.
Instruction* productOf(const Computation& fused) {
  Instruction* product = nullptr;
  for (Instruction* i : fused.instructions()) {
    if (i->opcode() != Opcode::Dot && i->opcode() != Opcode::ScaledDot) continue;
    if (product != nullptr) return nullptr;
    product = i;
  }
  return product;
}

// Of each dimension of the kernel's result, from those of the product: one element of a batch. nullopt: what
// follows the product is no elementwise work and no transpose.
std::optional<std::vector<int64_t>> resultTile(const Instruction& product, const json& tiles) {
  const size_t rank = product.shape().rank();
  if (rank < 2) return std::nullopt;
  std::vector<int64_t> tile(rank, 1);
  tile[rank - 2] = numberOf(tiles, "block_m", 1);
  tile[rank - 1] = numberOf(tiles, "block_n", 1);
  for (const Instruction* i = &product; !i->isRoot();) {
    const Instruction* user = i->users().empty() ? nullptr : i->users()[0];
    if (user == nullptr || !user->shape().isArray()) return std::nullopt;
    if (user->opcode() == Opcode::Transpose) {
      std::vector<int64_t> turned;
      for (const int64_t d : user->dimensions()) turned.push_back(tile[static_cast<size_t>(d)]);
      tile = std::move(turned);
    } else if (!isElementwise(user->opcode())) {
      return std::nullopt;
    }
    i = user;
  }
  return tile;
}

std::string blockConfig(const json& tiles, const std::vector<int64_t>& tile) {
  std::string sizes;
  for (const int64_t size : tile) sizes += (sizes.empty() ? "" : ",") + quoted(size);
  // Of AMD's GPUs only.
  const std::string waves = tiles.contains("waves_per_eu")
                                ? fmt::format(R"(,"waves_per_eu":{})", numberOf(tiles, "waves_per_eu", 0))
                                : "";
  return fmt::format(
      R"({{"fusion_backend_config":{{"kind":"__triton_nested_gemm_fusion","block_level_fusion_config":)"
      R"({{"output_tiles":[{{"sizes":[{}]}}],"num_warps":{},"num_ctas":{},"num_stages":{}{}}}}}}})",
      sizes, quoted(numberOf(tiles, "num_warps", 4)), numberOf(tiles, "num_ctas", 1),
      numberOf(tiles, "num_stages", 1), waves);
}

}  // namespace

Result<bool> convertTritonConfigs(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* fusion : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (fusion->opcode() != Opcode::Fusion) continue;
      const auto tiles = tilesOf(*fusion);
      Instruction* dot = tiles ? productOf(*fusion->get<Attr::Calls>()) : nullptr;
      if (dot == nullptr) continue;
      const auto tile = resultTile(*dot, *tiles);
      if (!tile) {
        context.remark(*fusion, "missed", "its result has other dimensions than the dot");
        continue;
      }
      if (!context.mayChange(*fusion)) return changed;
      dot->set<Attr::BackendConfig>(
          fmt::format(R"({{"sizes":[{}]}})", quoted(numberOf(*tiles, "block_k", 1))));
      fusion->set<Attr::BackendConfig>(blockConfig(*tiles, *tile));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
