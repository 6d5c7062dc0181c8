#include "app/cli/tile_code.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/report.h"
#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/print_tile_program.h"
#include "core/workspace/run/tiled_module.h"

namespace hilo::cli {
namespace {

class TileCode {
 public:
  TileCode(const Instruction& fusion, const std::vector<int64_t>& sizes, bool json, nlohmann::json& out)
      : fusion_(fusion), sizes_(sizes), json_(json), out_(out) {}

  bool showProgram() {
    const auto tiled = tiledFusion(fusion_, sizes_);
    return tiled ? give("program", toString(*tiled)) : refuse(tiled.error());
  }

  bool show(const TileCodeOptions& options) {
    auto module = tiledModule(fusion_, sizes_);
    if (!module) return refuse(module.error());
    bool isGood = true;
    if (options.llvm) isGood = giveCode("llvm", tiledLlvm(*module)) && isGood;
    if (!options.ptx.empty()) isGood = giveCode("ptx", tiledPtx(*module, options.ptx)) && isGood;
    if (options.run) isGood = run(*module) && isGood;
    return isGood;
  }

 private:
  bool refuse(const Diagnostic& why) {
    out_["error"] = reportJson(why);
    if (!json_) printError(why);
    return false;
  }

  bool give(const char* name, const std::string& text) {
    out_[name] = text;
    if (!json_) fmt::print("{}", text);
    return true;
  }

  bool giveCode(const char* name, const Result<std::string>& text) {
    return text ? give(name, *text) : refuse(text.error());
  }

  bool run(const std::shared_ptr<const Module>& module) {
    const auto runs = runTiled(module, tiledEngines(), {});
    if (!runs) return refuse(runs.error());
    bool isGood = true;
    for (const TiledRun& each : *runs) {
      const bool agrees =
          each.comparison && each.comparison->comparable && each.comparison->verdict != Verdict::Differs;
      const std::string verdict = !each.comparison              ? toString(each.comparison.error())
                                  : each.comparison->comparable ? verdictName(each.comparison->verdict)
                                                                : each.comparison->notComparable;
      out_["runs"].push_back({{"engine", each.engine}, {"verdict", verdict}, {"agrees", agrees}});
      if (!json_) fmt::print("  {} and reference: {}\n", each.engine, verdict);
      isGood = isGood && agrees;
    }
    return isGood;
  }

  const Instruction& fusion_;
  const std::vector<int64_t>& sizes_;
  const bool json_;
  nlohmann::json& out_;
};

}  // namespace

bool showTileCode(const Instruction& fusion, const std::vector<int64_t>& sizes,
                  const TileCodeOptions& options, bool json, nlohmann::json& out) {
  TileCode code(fusion, sizes, json, out);
  if (options.program && !code.showProgram()) return false;
  return (!options.llvm && !options.run && options.ptx.empty()) || code.show(options);
}

}  // namespace hilo::cli
