// Tiles of modules of our own, each with the property of some of XLA's tests of its tile analysis.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/analysis/tiling/launch_order.h"
#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/module.h"
#include "tests/conformance/analysis/tile_cases.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

std::vector<std::string> cut(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(by, from)) != text.npos; from = at + by.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

Sizes numbers(const std::string& text) {
  Sizes all;
  for (const std::string& part : cut(text, ",")) all.push_back(std::stoll(part));
  return all;
}

std::string tileText(const TiledInstruction& tiled, const InstructionTile& tile,
                     const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const TileDimension& d : tile.dimensions)
    parts.push_back(
        fmt::format("{} +{}x{}{}", d.offset.text(names), d.size, d.stride, d.isMasked ? "?" : ""));
  std::string devices;
  for (size_t i = 0; i < tile.devices.size(); ++i)
    devices += fmt::format(" of device {} of {}", tile.devices[i].text(names), tiled.gathered[i].devices);
  return fmt::format("[{}]{}", fmt::join(parts, ", "), devices);
}

// One case's space, and the checks on it.
class Held {
 public:
  explicit Held(const TilingSpace& space) : space_(space) {}

  void check(const std::string& line) const {
    SCOPED_TRACE(line);
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space), rest = space == line.npos ? "" : line.substr(space + 1);
    if (word == "free:") {
      EXPECT_EQ(tilingConstraints(space_).size(), 0U);
    } else if (word == "roots:") {
      EXPECT_EQ(std::to_string(space_.roots.size()), rest);
    } else if (word == "dimensions:") {
      EXPECT_EQ(dimensions(), rest);
    } else if (word == "constraint:") {
      checkConstraint(rest);
    } else if (word == "legal:") {
      checkLegal(rest);
    } else if (word == "places:") {
      checkPlaces(cut(rest, " "));
    } else {
      checkTiling(numbers(word), rest);
    }
  }

 private:
  std::string dimensions() const {
    std::vector<std::string> all;
    const auto names = space_.names();
    for (const size_t i : space_.tiled())
      all.push_back(fmt::format("{}={}", names[i], space_.variables[i].index.range.upper + 1));
    return fmt::format("{}", fmt::join(all, " "));
  }

  void checkConstraint(const std::string& wanted) const {
    const auto all = tilingConstraints(space_);
    EXPECT_NE(std::ranges::find(all, wanted), all.end()) << fmt::format("{}", fmt::join(all, "\n"));
  }

  void checkLegal(std::string wanted) const {
    const bool mayBeMore = wanted.ends_with(" ...");
    if (mayBeMore) wanted.resize(wanted.size() - 4);
    std::vector<std::string> all;
    for (const Sizes& sizes : legalTilings(space_, mayBeMore ? cut(wanted, " ").size() : 1000))
      all.push_back(sizes.empty() ? "-" : fmt::format("{}", fmt::join(sizes, ",")));
    EXPECT_EQ(fmt::format("{}", fmt::join(all, " ")), wanted);
  }

  void checkPlaces(const std::vector<std::string>& nameAndCount) const {
    const auto count = std::ranges::count(space_.instructions, nameAndCount[0],
                                          [](const TiledInstruction& i) { return i.instruction->name(); });
    EXPECT_EQ(std::to_string(count), nameAndCount[1]);
  }

  void checkTiling(const Sizes& sizes, const std::string& what) const {
    const auto tiling = tilingWith(space_, sizes);
    if (what.starts_with("refused: ")) {
      ASSERT_FALSE(tiling);
      EXPECT_NE(tiling.error().message.find(what.substr(9)), std::string::npos) << tiling.error().message;
      return;
    }
    ASSERT_TRUE(tiling) << tiling.error().message;
    if (what.starts_with("tiles: ")) {
      EXPECT_EQ(std::to_string(tiling->independentTiles(space_)), what.substr(7));
    } else if (what.starts_with("transposed: ")) {
      for (const std::string& at : cut(what.substr(12), " ")) checkOrder(*tiling, cut(at, "="));
    } else {
      ASSERT_TRUE(what.starts_with("> "));
      for (const std::string& tile : cut(what.substr(2), " | ")) checkTile(*tiling, tile);
    }
  }

  void checkTile(const FusionTiling& tiling, const std::string& wanted) const {
    std::vector<std::string> found;
    for (size_t i = 0; i < space_.instructions.size(); ++i)
      found.push_back(std::string(space_.instructions[i].instruction->name()) +
                      tileText(space_.instructions[i], tiling.tiles[i], space_.names()));
    EXPECT_NE(std::ranges::find(found, wanted), found.end()) << wanted << " is none of\n"
                                                             << fmt::format("{}", fmt::join(found, "\n"));
  }

  void checkOrder(const FusionTiling& tiling, const std::vector<std::string>& numberAndTile) const {
    Sizes counts;
    for (size_t i = 0; i < tiling.variables.size(); ++i) {
      const VariableTile& v = tiling.variables[i];
      if (space_.variables[i].index.kind == IndexVariable::Kind::Dimension)
        counts.push_back((v.size - 1) / v.tile + 1);
    }
    EXPECT_EQ(tileAt(LaunchOrder::kTransposed, counts, std::stoll(numberAndTile[0])),
              numbers(numberAndTile[1]));
  }

  const TilingSpace& space_;
};

void hold(const TileCase& one) {
  const auto module = moduleWithReducers(one.module);
  ASSERT_TRUE(module);
  ASSERT_FALSE(one.checks.empty());
  const auto space = tilingSpace(*module->entry()->root());
  const std::string refusal = "not tileable: ";
  if (one.checks[0].starts_with(refusal)) {
    ASSERT_FALSE(space);
    EXPECT_NE(space.error().message.find(one.checks[0].substr(refusal.size())), std::string::npos)
        << space.error().message;
    return;
  }
  ASSERT_TRUE(space) << space.error().message;
  const Held held(*space);
  for (const std::string& check : one.checks) held.check(check);
}

TEST(TileCases, HoldAsXlasTestsSay) {
  const auto cases = readTileCases("tests/conformance/analysis/tile_cases.txt");
  ASSERT_GT(cases.size(), 80U);
  for (const TileCase& one : cases) {
    SCOPED_TRACE(one.file + " " + one.tests.at(0));
    hold(one);
  }
}

}  // namespace
}  // namespace hilo
