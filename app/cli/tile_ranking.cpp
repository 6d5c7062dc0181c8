#include "app/cli/tile_ranking.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"
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
      table.add({fmt::format("{}", fmt::join(each.sizes, ",")), "", "", each.refusal});
      continue;
    }
    table.add({fmt::format("{}", fmt::join(each.sizes, ",")), std::string(orderName(each.order)),
               microseconds(e.ns), e.bound, microseconds(e.memoryNs), microseconds(e.l2Ns),
               microseconds(e.computeNs), microseconds(e.latencyNs),
               fmt::format("{:.0f}%", 100 * e.coalesced), fmt::format("{:.0f}%", 100 * e.reusedInL2),
               fmt::format("{:.0f}%", 100 * e.occupancy), std::to_string(e.registersOfThread),
               std::to_string(e.sharedBytes)});
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

}  // namespace

Status showTileRanking(const TilingSpace& space, const TileRankingOptions& options, bool asJson,
                       nlohmann::json& json) {
  if (!options.isWanted) return {};
  TRY(const DeviceDescription device, findDevice(options.device));
  TRY(const auto ranked, rankTilings(space, device));
  if (!asJson) printRanking(ranked, device, options.top);
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < std::min(options.top, ranked.size()); ++i) list.push_back(jsonOf(ranked[i]));
  json["ranking"] = {
      {"estimated", true}, {"device", device.name}, {"tilings", ranked.size()}, {"first", list}};
  return {};
}

}  // namespace hilo::cli
