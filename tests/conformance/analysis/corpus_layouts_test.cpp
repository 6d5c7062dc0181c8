// Every copy and transpose of the optimized modules below HILO_CORPUS has a cause: who gives an order and who
// wants another, none of them unknown, with a chain of values between in which the order changes at the move.
#include <gtest/gtest.h>

#include "core/analysis/layouts/layout_moves.h"
#include "core/hlo/dump/load.h"
#include "core/hlo/verify/infer_shape.h"
#include "tests/conformance/corpus_modules.h"

namespace hilo {
namespace {

struct Totals {
  size_t modules = 0, moves = 0, ofOrder = 0;
  std::vector<std::string> withoutCause;
};

bool isWhole(const LayoutMove& move) {
  if (move.text.empty() || move.movePlace >= move.chain.size() || !move.chain[move.movePlace].isMove)
    return false;
  if (move.kind != LayoutMoveKind::Order && move.kind != LayoutMoveKind::Tiles) return true;
  const auto isKnown = [](const LayoutWish& wish) {
    return wish.kind != LayoutWishKind::Nobody && wish.kind != LayoutWishKind::Unknown && !wish.text.empty();
  };
  return isKnown(move.given) && isKnown(move.wanted) && move.chain.size() >= 3;
}

void look(const std::filesystem::path& path, Totals& totals) {
  const auto loaded = loadModule(path.string(), {.inferShape = inferShape});
  if (!loaded || loaded->module == nullptr || hasErrors(loaded->diagnostics)) return;
  ++totals.modules;
  for (const LayoutMove& move : layoutMoves(*loaded->module)) {
    ++totals.moves;
    totals.ofOrder += move.kind == LayoutMoveKind::Order;
    if (!isWhole(move))
      totals.withoutCause.push_back(
          fmt::format("{}: %{}: {}", path.filename().string(), move.name, move.text));
  }
}

TEST(CorpusLayouts, EachCopyAndTransposeHasACause) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  std::vector<std::filesystem::path> optimized;
  for (const auto& path : moduleFiles(*corpus)) {
    if (path.filename().string().contains("after_optimizations")) optimized.push_back(path);
  }
  Totals totals;
  for (const auto& path : someOf(optimized)) look(path, totals);
  EXPECT_EQ(totals.withoutCause, std::vector<std::string>());
  EXPECT_GT(totals.moves, 0u);
  fmt::print("{} modules, {} copies and transposes, {} of them change the order\n", totals.modules,
             totals.moves, totals.ofOrder);
  printRows(totals.moves);
}

}  // namespace
}  // namespace hilo
