#include "app/cli/tile_ranking.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"
#include "core/analysis/tiling/core_estimate.h"
#include "core/analysis/tiling/tiling_estimate.h"

namespace hilo::cli {
namespace {

constexpr std::string_view orderName(LaunchOrder order) {
  switch (order) {
    case LaunchOrder::kRowMajor:
      return "row-major";
    case LaunchOrder::kTransposed:
      return "transposed";
    case LaunchOrder::kGrouped:
      return "grouped";
  }
  return "";
}

std::string microseconds(double ns) { return fmt::format("{:.2f}", ns / 1000); }

std::string sizesText(const std::vector<int64_t>& sizes) { return fmt::format("{}", fmt::join(sizes, ",")); }

void printRanking(const std::vector<RankedTiling>& ranked, const DeviceDescription& device, size_t top) {
  fmt::print("  Estimated on {}, not measured; microseconds. {}:\n", device.name,
             counted(ranked.size(), "legal tiling"));
  using enum Table::Align;
  Table table({Left, Left, Right, Left, Right, Right, Right, Right, Right, Right, Right, Right, Right});
  table.add({"sizes", "order", "time", "bound by", "memory", "L2", "arithmetic", "latency", "coalesced",
             "in L2", "occupancy", "registers", "shared"});
  for (size_t i = 0; i < std::min(top, ranked.size()); ++i) {
    const RankedTiling& each = ranked[i];
    const TilingEstimate& e = each.estimate;
    if (!each.refusal.empty()) {
      table.add({sizesText(each.sizes), "", "", each.refusal});
      continue;
    }
    table.add({sizesText(each.sizes), std::string(orderName(each.order)), microseconds(e.ns), e.bound,
               microseconds(e.memoryNs), microseconds(e.l2Ns), microseconds(e.computeNs),
               microseconds(e.latencyNs), fmt::format("{:.0f}%", 100 * e.coalesced),
               fmt::format("{:.0f}%", 100 * e.reusedInL2), fmt::format("{:.0f}%", 100 * e.occupancy),
               std::to_string(e.registersOfThread), std::to_string(e.sharedBytes)});
  }
  fmt::print("{}", table.text(4));
}

nlohmann::json jsonOf(const RankedTiling& ranked) {
  nlohmann::json json = {{"sizes", ranked.sizes}};
  if (!ranked.refusal.empty()) {
    json["refusal"] = ranked.refusal;
    return json;
  }
  const TilingEstimate& e = ranked.estimate;
  json.update({{"order", orderName(ranked.order)},
               {"estimatedNs", e.ns},
               {"boundBy", e.bound},
               {"launchNs", e.launchNs},
               {"memoryNs", e.memoryNs},
               {"l2Ns", e.l2Ns},
               {"computeNs", e.computeNs},
               {"latencyNs", e.latencyNs},
               {"memoryBytes", e.memoryBytes},
               {"l2Bytes", e.l2Bytes},
               {"coalesced", e.coalesced},
               {"reusedInL2", e.reusedInL2},
               {"blocks", e.blocks},
               {"blocksHeld", e.blocksHeld},
               {"waves", e.waves},
               {"occupancy", e.occupancy},
               {"threads", e.threads},
               {"registersOfThread", e.registersOfThread},
               {"sharedBytes", e.sharedBytes},
               {"flops", e.flops},
               {"tensorFlops", e.tensorFlops}});
  return json;
}

void printOnCore(const std::vector<CoreRanking>& ranked, size_t top) {
  fmt::print("  Estimated on a core of a processor, not measured; microseconds. {}:\n",
             counted(ranked.size(), "legal tiling"));
  using enum Table::Align;
  Table table({Left, Right, Right, Right, Right, Right, Right});
  table.add({"sizes", "time", "arithmetic", "streamed", "scattered", "MB near", "MB of memory"});
  for (size_t i = 0; i < std::min(top, ranked.size()); ++i) {
    const CoreEstimate& e = ranked[i].estimate;
    table.add({sizesText(ranked[i].sizes), microseconds(e.ns), microseconds(e.computeNs),
               microseconds(e.streamedNs), microseconds(e.scatteredNs),
               fmt::format("{:.2f}", e.nearBytes / 1e6), fmt::format("{:.2f}", e.memoryBytes / 1e6)});
  }
  fmt::print("{}", table.text(4));
}

nlohmann::json jsonOf(const CoreRanking& ranked) {
  const CoreEstimate& e = ranked.estimate;
  return {{"sizes", ranked.sizes},       {"estimatedNs", e.ns},          {"computeNs", e.computeNs},
          {"streamedNs", e.streamedNs},  {"scatteredNs", e.scatteredNs}, {"nearBytes", e.nearBytes},
          {"memoryBytes", e.memoryBytes}};
}

template <typename Ranked>
nlohmann::json rankingOf(const std::vector<Ranked>& ranked, const std::string& device, size_t top) {
  nlohmann::json first = nlohmann::json::array();
  for (size_t i = 0; i < std::min(top, ranked.size()); ++i) first.push_back(jsonOf(ranked[i]));
  return {{"estimated", true}, {"device", device}, {"tilings", ranked.size()}, {"first", first}};
}

constexpr std::string_view kCore = "core";

}  // namespace

Status showTileRanking(const TilingSpace& space, const TileRankingOptions& options, bool asJson,
                       nlohmann::json& json) {
  if (!options.isWanted) return {};
  if (options.device == kCore) {
    const auto ranked = rankOnCore(space, {});
    if (!asJson) printOnCore(ranked, options.top);
    json["ranking"] = rankingOf(ranked, options.device, options.top);
    return {};
  }
  TRY(const DeviceDescription device, findDevice(options.device));
  TRY(const auto ranked, rankTilings(space, device));
  if (!asJson) printRanking(ranked, device, options.top);
  json["ranking"] = rankingOf(ranked, device.name, options.top);
  return {};
}

}  // namespace hilo::cli
