#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/dump_module.h"
#include "app/cli/report.h"
#include "app/cli/tile_code.h"
#include "app/cli/tile_ranking.h"
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/module.h"
#include "core/workspace/open/verify_file.h"

namespace hilo::cli {
namespace {

using Kind = IndexVariable::Kind;

struct Options {
  std::string path, name;
  std::vector<int64_t> sizes;
  size_t legal = 0;
  TileCodeOptions code;
  TileRankingOptions ranking;
  bool json = false;
};

std::string whose(const TilingVariable& variable) {
  const bool isFolded = variable.index.kind == Kind::Symbol;
  return fmt::format("{} %{}", isFolded ? "folded by" : "of the result of", variable.instruction->name());
}

std::vector<std::string> texts(const std::vector<TileDimension>& dimensions, auto text) {
  std::vector<std::string> all;
  for (const TileDimension& dimension : dimensions) all.push_back(text(dimension));
  return all;
}

void printSpace(const Instruction& instruction, const TilingSpace& space) {
  fmt::print("%{} {} {}\n", instruction.name(), instruction.opcodeText(), toString(instruction.shape()));
  const auto names = space.names();
  for (const size_t i : space.tiled())
    fmt::print("  {} in [0, {}], {}\n", names[i], space.variables[i].index.range.upper,
               whose(space.variables[i]));
  const auto constraints = tilingConstraints(space);
  fmt::print("  {}\n", constraints.empty() ? "Every size is legal" : "Sizes are legal where");
  for (const std::string& constraint : constraints) fmt::print("    {}\n", constraint);
}

// "of device d0 floordiv 64 of 2": of what an all-gather reads.
std::string devicesText(const TiledInstruction& tiled, const InstructionTile& tile,
                        const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (size_t i = 0; i < tile.devices.size(); ++i)
    all.push_back(fmt::format("of device {} of {}", tile.devices[i].text(names), tiled.gathered[i].devices));
  return fmt::format("{}", fmt::join(all, ", "));
}

void printTiling(const TilingSpace& space, const FusionTiling& tiling) {
  const auto names = space.names();
  fmt::print("  {}, {:.1f}% of them outside of the result\n",
             counted(tiling.independentTiles(space), "independent tile"), 100 * tiling.wasted(space));
  Table table(std::vector<Table::Align>(6, Table::Align::Left));
  table.add({"instruction", "offset", "size", "stride", "", ""});
  for (size_t i = 0; i < space.instructions.size(); ++i) {
    const auto& dimensions = tiling.tiles[i].dimensions;
    const auto column = [&](auto text) {
      return fmt::format("({})", fmt::join(texts(dimensions, text), ", "));
    };
    table.add({fmt::format("%{}", space.instructions[i].instruction->name()),
               column([&](const TileDimension& d) { return d.offset.text(names); }),
               column([](const TileDimension& d) { return std::to_string(d.size); }),
               column([](const TileDimension& d) { return std::to_string(d.stride); }),
               tiling.tiles[i].isMasked() ? "masked" : "",
               devicesText(space.instructions[i], tiling.tiles[i], names)});
  }
  fmt::print("{}", table.text(4));
}

nlohmann::json jsonOf(const TilingSpace& space, const FusionTiling& tiling) {
  const auto names = space.names();
  nlohmann::json tiles = nlohmann::json::array();
  for (size_t i = 0; i < space.instructions.size(); ++i) {
    nlohmann::json tile = {{"name", space.instructions[i].instruction->name()},
                           {"operands", space.instructions[i].operands},
                           {"masked", tiling.tiles[i].isMasked()}};
    for (const AffineExpression& device : tiling.tiles[i].devices)
      tile["devices"].push_back(device.text(names));
    for (const TileDimension& d : tiling.tiles[i].dimensions) {
      tile["offsets"].push_back(d.offset.text(names));
      tile["sizes"].push_back(d.size);
      tile["strides"].push_back(d.stride);
    }
    tiles.push_back(std::move(tile));
  }
  return {{"independentTiles", tiling.independentTiles(space)},
          {"wasted", tiling.wasted(space)},
          {"tiles", std::move(tiles)}};
}

nlohmann::json jsonOf(const Instruction& instruction, const TilingSpace& space) {
  const auto names = space.names();
  nlohmann::json dimensions = nlohmann::json::array();
  for (const size_t i : space.tiled()) {
    const TilingVariable& variable = space.variables[i];
    dimensions.push_back({{"name", names[i]},
                          {"size", variable.index.range.upper + 1},
                          {"folded", variable.index.kind == Kind::Symbol},
                          {"instruction", variable.instruction->name()}});
  }
  return {
      {"name", instruction.name()}, {"dimensions", dimensions}, {"constraints", tilingConstraints(space)}};
}

// `from` is "--sizes" too, and empty where everything is whole.
using Chosen = ConfiguredSizes;

// The sizes given, else the configured ones, else whole results with whole folds: one tile.
Result<Chosen> chosenSizes(const Instruction& instruction, const TilingSpace& space, const Options& options) {
  if (!options.sizes.empty()) return Chosen{options.sizes, "--sizes"};
  TRY(auto configured, configuredSizes(instruction, space));
  if (configured) return Chosen{std::move(configured->sizes), std::move(configured->from)};
  Chosen whole;
  for (const size_t i : space.tiled()) whole.sizes.push_back(space.variables[i].index.range.upper + 1);
  return whole;
}

void addLegal(const TilingSpace& space, const Options& options, nlohmann::json& json) {
  if (options.legal == 0) return;
  const auto legal = legalTilings(space, options.legal);
  json["legal"] = legal;
  if (options.json) return;
  fmt::print("  Legal sizes, of powers of two and whole dimensions:\n");
  for (const auto& sizes : legal) fmt::print("    {}\n", fmt::join(sizes, ","));
}

// False, and why is printed or in `out`, where there is no such tiling.
bool show(const Instruction& instruction, const Options& options, nlohmann::json& out) {
  const auto refused = [&](const Diagnostic& why) {
    out.push_back({{"name", instruction.name()}, {"error", reportJson(why)}});
    if (!options.json) fmt::print("%{}: {}\n", instruction.name(), why.message);
    return false;
  };
  const auto space = tilingSpace(instruction);
  if (!space) return refused(space.error());
  if (!options.json) printSpace(instruction, *space);
  const auto chosen = chosenSizes(instruction, *space, options);
  if (!chosen) return refused(chosen.error());
  const auto tiling = tilingWith(*space, chosen->sizes);
  if (!tiling && !chosen->from.empty()) return refused(tiling.error());
  nlohmann::json all = jsonOf(instruction, *space);
  all["sizes"] = chosen->sizes;
  if (!chosen->from.empty()) {
    all["sizesFrom"] = chosen->from;
    if (!options.json) fmt::print("  Sizes {} ({})\n", fmt::join(chosen->sizes, ","), chosen->from);
  }
  if (tiling) {
    all["tiling"] = jsonOf(*space, *tiling);
    if (!options.json) printTiling(*space, *tiling);
  } else {
    all["notWhole"] = tiling.error().message;
    if (!options.json) fmt::print("  One whole tile is not legal: {}\n", tiling.error().message);
  }
  addLegal(*space, options, all);
  if (const Status ranked = showTileRanking(*space, options.ranking, options.json, all); !ranked)
    return refused(ranked.error());
  bool isGood = true;
  if (tiling && options.code.wantsAny())
    isGood = showTileCode(instruction, chosen->sizes, options.code, options.json, all);
  out.push_back(std::move(all));
  return isGood;
}

int run(const Options& options) {
  const auto file = openWholeOrStage(options.path);
  if (!file) return kNo;
  const Module& module = *(*file)->module;
  if (const Status sound = requireVerified(module); !sound) {
    printError(placedIn(**file, sound.error()));
    return kNo;
  }
  std::vector<const Instruction*> chosen;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (options.name.empty() && instruction->opcode() == Opcode::Fusion) chosen.push_back(instruction);
  }
  if (!options.name.empty()) {
    chosen.push_back(module.findInstruction(options.name));
    if (chosen[0] == nullptr) {
      printError({Severity::kError, "unknown-instruction",
                  fmt::format("the module has no instruction '{}'", options.name)});
      return kUsage;
    }
  }
  nlohmann::json all = nlohmann::json::array();
  bool isTiled = true;
  for (const Instruction* instruction : chosen) isTiled = show(*instruction, options, all) && isTiled;
  if (options.json) printJson(all);
  if (!options.json && chosen.empty()) fmt::print("The entry has no fusion; --name tiles any instruction\n");
  return isTiled ? kOk : kNo;
}

}  // namespace

void addTiles(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("tiles", "Say what a tile of a fusion's result reads, and which are legal");
  command->add_option("FILE", options->path, "HLO text or protobuf, gzip or not; - reads standard input")
      ->required();
  CLI::Option* name =
      command->add_option("--name", options->name, "This fusion or instruction; else the entry's fusions");
  command
      ->add_option("--sizes", options->sizes,
                   "Size of the tile along each dimension, in the order they are listed; else those of the "
                   "fusion's backend_config; else each is whole")
      ->delimiter(',')
      ->needs(name);
  command->add_option("--legal", options->legal, "List as many legal choices of sizes, at most")
      ->check(CLI::Range(1, 10'000));
  command->add_flag("--program", options->code.program, "Print the tile program: what is done for one tile");
  command->add_flag("--llvm", options->code.llvm, "Print its code as LLVM IR, for this machine's processor");
  command->add_option("--ptx", options->code.ptx, "Print its code for this GPU architecture, such as sm_90a");
  command->add_flag("--run", options->code.run,
                    "Run it on the engines cpu and cuda-sim, and compare with the reference");
  CLI::Option* rank = command->add_flag("--rank", options->ranking.isWanted,
                                        "List legal tilings by their estimated time on a GPU or a core");
  command->add_option("--top", options->ranking.top, "How many of them")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str()
      ->needs(rank);
  command
      ->add_option("--target", options->ranking.device,
                   "The GPU: h100, a file as of hilo schedule --target; or core, one of a processor")
      ->capture_default_str()
      ->needs(rank);
  command->add_flag("--json", options->json, "Print as JSON");
  command->footer(R"(
A fusion is tiled along the dimensions of its results (d0, d1...) and along what it folds: summed dimensions of a dot,
reduced ones, places in a window (s0, s1...). A tile starts at a multiple of its size. Offsets are in elements, by the
first index of the tile along each dimension; rt0... are indices read when it runs.

Where XLA wrote sizes into the fusion (block_level_fusion_config, triton_gemm_config), these are used and checked; for an
all-reduce that one kernel does, those that XLA's emitter takes.

A tile program is what is done for each tile (docs/tiles.md). The same is compiled for a processor and for a GPU.

--rank orders tilings by an estimate for one block of threads a tile: bytes of memory and of L2 by sectors of 32 and by
what the blocks of a wave read in common, arithmetic of the busiest processor, steps that wait for each other. Each term is
listed; the longest is the time. It is to compare tilings by: not measured.

Exit status: 0 tiled, 1 the module cannot be read, a fusion has no such tiles or what was run differs, 2 wrong usage.

Examples:
  hilo tiles module.hlo
  hilo tiles module.hlo --name fusion.3 --sizes 16,64 --json
  hilo tiles module.hlo --name fusion.3 --legal 20
  hilo tiles module.hlo --name fusion.3 --sizes 16,64 --program --run
  hilo tiles module.hlo --name fusion.3 --sizes 16,64 --ptx sm_90a
  hilo tiles module.hlo --name fusion.3 --rank --top 5 --target a100)");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace hilo::cli
