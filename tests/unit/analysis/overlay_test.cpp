#include "core/analysis/overlay/overlay.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

class OverlayTest : public testing::Test {
 protected:
  std::unique_ptr<Module> module = std::move(parseModule(R"(HloModule m
ENTRY %main (x: f32[4,8], y: f32[8,2]) -> bf16[4,2] {
  %x = f32[4,8]{1,0} parameter(0), sharding={replicated}
  %y = f32[8,2]{0,1} parameter(1), sharding={maximal device=1}
  %d = f32[4,2]{1,0} dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %r = bf16[4,2]{1,0} convert(%d)
})")
                                                 .module);

  double amount(const Overlay& overlay, const char* name) const {
    const uint32_t id = module->findInstruction(name)->id().value;
    return id < overlay.amounts.size() ? overlay.amounts[id] : -1;
  }
  std::string category(const Overlay& overlay, const char* name) const {
    const uint16_t category = overlay.category[module->findInstruction(name)->id().value];
    return category == Overlay::kNoCategory ? "none" : overlay.categories[category];
  }
};

TEST_F(OverlayTest, amounts) {
  const Overlay bytes = makeOverlay(*module, OverlayKind::OutputBytes);
  EXPECT_EQ(amount(bytes, "x"), 128);
  EXPECT_EQ(amount(bytes, "r"), 16);
  const Overlay flops = makeOverlay(*module, OverlayKind::Flops);
  EXPECT_EQ(amount(flops, "d"), 2 * 4 * 2 * 8);
  EXPECT_EQ(amount(flops, "x"), 0);
  // The product reads both parameters and writes 4 x 2 floats.
  EXPECT_EQ(amount(makeOverlay(*module, OverlayKind::BytesAccessed), "d"), 128 + 64 + 32);
}

TEST_F(OverlayTest, names) {
  const Overlay layout = makeOverlay(*module, OverlayKind::Layout);
  EXPECT_EQ(layout.categories, (std::vector<std::string>{"{1,0}", "{0,1}"}));
  EXPECT_EQ(category(layout, "y"), "{0,1}");
  const Overlay sharding = makeOverlay(*module, OverlayKind::Sharding);
  EXPECT_EQ(category(sharding, "x"), "{replicated}");
  EXPECT_EQ(category(sharding, "d"), "none");
  const Overlay type = makeOverlay(*module, OverlayKind::Precision);
  EXPECT_EQ(category(type, "r"), "bf16");
}

TEST_F(OverlayTest, ofQueriesTheFirstThatMatchesCounts) {
  std::vector<Query> queries;
  for (const char* text : {"opcode:dot", "type:f32", "opcode:tanh"})
    queries.push_back(parseQuery(text).value());
  const Overlay overlay = makeQueryOverlay(*module, queries);
  EXPECT_EQ(overlay.categories, (std::vector<std::string>{"opcode:dot", "type:f32", "opcode:tanh"}));
  EXPECT_EQ(category(overlay, "d"), "opcode:dot");
  EXPECT_EQ(category(overlay, "x"), "type:f32");
  EXPECT_EQ(category(overlay, "r"), "none");
}

TEST_F(OverlayTest, allNumericColumnsOfAFileAreOffered) {
  EXPECT_EQ(overlayColumns("op,kind,time,count\nd,dot,1,2\n").value(),
            (std::vector<std::string>{"time", "count"}));
  EXPECT_EQ(overlayColumns(R"([{"name": "d", "a": 1, "b": "x", "c": 2.5}])").value(),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(overlayColumns("op,kind\nd,dot\n").error().kind, "unreadable-column");
}

TEST_F(OverlayTest, columnsOfCsv) {
  const std::string text =
      "hlo_op,category,\"time, us\",count\n%d,dot,2.5,1\n\"r\",convert,0.5,3\nd,dot,1.5,1\nz,x,9,9\n";
  const Overlay time = readOverlayColumn(*module, text).value();
  EXPECT_EQ(time.title, "time, us");
  EXPECT_EQ(amount(time, "d"), 4.0);  // of both rows
  EXPECT_EQ(amount(time, "r"), 0.5);
  EXPECT_LT(amount(time, "x"), 0);
  EXPECT_EQ(amount(readOverlayColumn(*module, text, "count").value(), "r"), 3);
}

TEST_F(OverlayTest, columnsOfJson) {
  EXPECT_EQ(amount(readOverlayColumn(*module, R"({"d": 7, "note": "x"})").value(), "d"), 7);
  const char* list = R"([{"name": "d", "us": 1.5}, {"us": 2, "name": "r"}])";
  EXPECT_EQ(amount(readOverlayColumn(*module, list).value(), "r"), 2);
}

TEST_F(OverlayTest, whatCannotBeReadSaysWhy) {
  auto kind = [&](const char* text, const char* column = "") {
    return readOverlayColumn(*module, text, column).error().kind;
  };
  EXPECT_EQ(kind(""), "unreadable-column");
  EXPECT_EQ(kind("{"), "unreadable-column");
  EXPECT_EQ(kind("[1]"), "unreadable-column");
  EXPECT_EQ(kind("name\nd\n"), "unreadable-column");
  EXPECT_EQ(kind("name,v\nd,x\n"), "unreadable-column");
  EXPECT_EQ(kind("name,v\nd,1\n", "w"), "no-such-column");
  EXPECT_EQ(kind("name,v\nq,1\n"), "nothing-matches");
}

}  // namespace
}  // namespace hilo
