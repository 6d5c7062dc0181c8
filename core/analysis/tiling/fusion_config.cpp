#include "core/analysis/tiling/fusion_config.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/hlo/ir/instruction.h"

namespace hilo {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMostWarps = 32;  // 1,024 threads
constexpr int64_t kMostSizes = 64;

std::unexpected<Diagnostic> bad(std::string what) {
  return fail("bad-fusion-config", std::move(what), {}, {"the backend_config of the fusion says so"});
}

// Protobuf's writer leaves names unquoted in some dumps, and its reader takes them.
std::optional<Json> parsed(std::string_view config) {
  Json json = Json::parse(config, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    static const RE2 bareName(R"(([{,]\s*)([A-Za-z_]\w*)\s*:)");
    std::string text(config);
    RE2::GlobalReplace(&text, bareName, R"(\1"\2":)");
    json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  }
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

// 64-bit numbers are strings in protobuf's JSON.
std::optional<int64_t> numberOf(const Json& value) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) return std::nullopt;
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Result<int64_t> positive(const Json& of, const char* name, int64_t otherwise) {
  if (!of.contains(name)) return otherwise;
  const auto number = numberOf(of[name]);
  if (!number) return bad(fmt::format("{} is no number: {}", name, of[name].dump()));
  if (*number < 1) return bad(fmt::format("{} is {}: it has to be 1 or more", name, *number));
  return *number;
}

Result<std::vector<int64_t>> sizesIn(const Json& tile) {
  const auto sizes = tile.is_object() ? tile.find("sizes") : tile.end();
  if (!tile.is_object() || (sizes != tile.end() && !sizes->is_array()))
    return bad("a tile has no list of sizes");
  std::vector<int64_t> all;
  if (sizes == tile.end()) return all;  // of a scalar
  if (sizes->size() > kMostSizes) return bad(fmt::format("a tile has {} sizes", sizes->size()));
  for (const Json& size : *sizes) {
    const auto number = numberOf(size);
    if (!number || *number < 1)
      return bad(fmt::format("a tile size is {}: it has to be 1 or more", size.dump()));
    all.push_back(*number);
  }
  return all;
}

Status readLaunch(const Json& of, FusionConfig& config) {
  TRY(config.warps, positive(of, "num_warps", 1));
  TRY(config.ctas, positive(of, "num_ctas", 1));
  TRY(config.stages, positive(of, "num_stages", 1));
  if (config.warps > kMostWarps || !std::has_single_bit(static_cast<uint64_t>(config.warps)))
    return bad(
        fmt::format("num_warps is {}: it has to be a power of two, {} at most", config.warps, kMostWarps));
  return {};
}

Result<GemmBlocks> gemmBlocks(const Json& of) {
  GemmBlocks blocks;
  TRY(blocks.splitK, positive(of, "split_k", 1));
  for (const auto& [name, block] :
       {std::pair{"block_m", &blocks.m}, {"block_n", &blocks.n}, {"block_k", &blocks.k}}) {
    if (!of.contains(name)) return bad(fmt::format("triton_gemm_config has no {}", name));
    TRY(*block, positive(of, name, 1));
    if (!std::has_single_bit(static_cast<uint64_t>(*block)))
      return bad(fmt::format("{} is {}: it has to be a power of two", name, *block));
  }
  return blocks;
}

}  // namespace

Result<std::optional<FusionConfig>> fusionConfig(const Instruction& fusion) {
  const std::string_view text = fusion.get<Attr::BackendConfig>();
  if (text.find("block_level_fusion_config") == text.npos && text.find("triton_gemm_config") == text.npos)
    return std::nullopt;
  const auto json = parsed(text);
  if (!json) return bad("the backend_config is not JSON");
  const auto whole = json->find("fusion_backend_config");
  const Json& own = whole == json->end() ? *json : *whole;
  FusionConfig config;
  if (own.is_object() && own.contains("kind") && own["kind"].is_string()) config.kind = own["kind"];
  const bool hasBlocks = own.is_object() && own.contains("block_level_fusion_config"),
             hasGemm = own.is_object() && own.contains("triton_gemm_config");
  for (const char* name : {"block_level_fusion_config", "triton_gemm_config"}) {
    if (!own.is_object() || !own.contains(name)) continue;
    if (!own[name].is_object()) return bad(fmt::format("{} is no object", name));
    TRY_STATUS(readLaunch(own[name], config));
  }
  if (!hasBlocks && !hasGemm) return std::nullopt;
  if (hasGemm) {
    TRY(config.gemm, gemmBlocks(own["triton_gemm_config"]));
  }
  if (!hasBlocks) return config;
  const Json& blocks = own["block_level_fusion_config"];
  if (!blocks.contains("output_tiles")) return config;
  if (!blocks["output_tiles"].is_array()) return bad("output_tiles is no list");
  for (const Json& tile : blocks["output_tiles"]) {
    TRY(auto sizes, sizesIn(tile));
    config.outputTiles.push_back(std::move(sizes));
  }
  return config;
}

Result<std::vector<int64_t>> foldedSizes(const Instruction& instruction) {
  const std::string_view text = instruction.get<Attr::BackendConfig>();
  if (text.find("sizes") == text.npos || text.find("block_level_fusion_config") != text.npos)
    return std::vector<int64_t>();
  const auto json = parsed(text);
  if (!json || !json->contains("sizes")) return std::vector<int64_t>();
  return sizesIn(*json);
}

}  // namespace hilo
