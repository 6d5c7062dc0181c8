#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "ui/models/attribute_rows.h"
#include "ui/models/inspector_model.h"

namespace hilo {
namespace {

const Shape kMatrix = Shape::array(ElementType::F32, {2, 3}).withDefaultLayout();

const InspectorRow* find(const std::vector<InspectorRow>& rows, const QString& name) {
  for (const InspectorRow& row : rows) {
    if (row.name == name) return &row;
    if (const InspectorRow* inner = find(row.children, name)) return inner;
  }
  return nullptr;
}

struct Sample {
  Module module{"m"};
  Computation* entry = module.createComputation("main");
  Instruction* x = entry->createParameter(0, kMatrix, "x");
  Instruction* y = entry->create(Opcode::Negate, kMatrix, {x}, "y");
  Instruction* z = entry->create(Opcode::Add, kMatrix, {x, y}, "z");
  Sample() {
    module.setEntry(entry);
    entry->setRoot(z);
  }
};

TEST(InspectorRows, OperandsAndUsersAreLinks) {
  Sample s;
  const auto rows = instructionRows(*s.y);
  const InspectorRow* operands = find(rows, "operands");
  ASSERT_NE(operands, nullptr);
  ASSERT_EQ(operands->children.size(), 1u);
  EXPECT_EQ(operands->children[0].link.instruction, s.x->id());
  const InspectorRow* users = find(rows, "users");
  ASSERT_EQ(users->children.size(), 1u);
  EXPECT_EQ(users->children[0].link.instruction, s.z->id());
  EXPECT_EQ(users->children[0].link.kind, RowLink::Kind::kInstruction);
}

TEST(InspectorRows, ShapeSaysStridesAndBytes) {
  const InspectorRow row = shapeRow("shape", kMatrix);
  EXPECT_EQ(find({row}, "strides in elements")->value, "3, 1");
  EXPECT_EQ(find({row}, "bytes")->value, "24 B");
  EXPECT_EQ(find({row}, "dimensions")->value, "2 x 3");
  Layout columnMajor;
  columnMajor.minorToMajor = {0, 1};
  EXPECT_EQ(find({shapeRow("s", kMatrix.withLayout(&columnMajor))}, "strides in elements")->value, "1, 2");
}

TEST(InspectorRows, AttributesDecodeByKind) {
  Sample s;
  s.y->set<Attr::Dimensions>(std::vector<int64_t>{0, 1});
  s.y->set<Attr::Direction>(ComparisonDirection::Lt);
  s.y->set<Attr::BackendConfig>(R"({"a":{"b":[1,2]},"c":"d"})");
  s.y->set<Attr::ControlPredecessors>(std::vector<Instruction*>{s.x});
  const OpMetadata metadata{.opName = "jit(f)/neg", .sourceFile = "model.py", .sourceLine = 12};
  s.y->set<Attr::Metadata>(&metadata);
  const auto rows = instructionRows(*s.y);
  EXPECT_EQ(find(rows, "dimensions")->value, "2 x 3");  // the shape's comes first
  const InspectorRow* attributes = find(rows, "attributes");
  ASSERT_NE(attributes, nullptr);
  EXPECT_EQ(find(attributes->children, "dimensions")->value, "{0, 1}");
  EXPECT_EQ(find(attributes->children, "direction")->value, "LT");
  EXPECT_EQ(find(attributes->children, "b")->value, "[1,2]");
  EXPECT_EQ(find(attributes->children, "c")->value, "d");
  EXPECT_EQ(find(attributes->children, "control-predecessors")->children[0].link.instruction, s.x->id());
  EXPECT_EQ(find(rows, "source")->value, "model.py:12");
  EXPECT_EQ(find(rows, "source")->link.sourceLine, 12);
}

TEST(InspectorRows, ShardingListsItsDevices) {
  Sharding sharding{.type = Sharding::Type::Tiled};
  const int64_t tile[] = {2, 2};
  const int64_t reshape[] = {2, 2};
  const int64_t permutation[] = {1, 0};
  sharding.tileDimensions = tile;
  sharding.hasIota = true;
  sharding.iota = {reshape, permutation};
  InspectorRow row{"sharding"};
  addShardingRows(row, sharding);
  EXPECT_EQ(find(row.children, "devices")->value, "{0, 2, 1, 3}");
}

TEST(InspectorRows, ConfigThatIsNotJsonIsKeptAsText) {
  InspectorRow row{"backend_config"};
  addConfigRows(row, "{not json");
  EXPECT_EQ(row.value, "{not json");
  EXPECT_TRUE(row.children.empty());
}

TEST(InspectorModel, IsAConsistentTreeAndCopiesAsText) {
  Sample s;
  InspectorModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(instructionRows(*s.z));
  model.setRows(computationRows(*s.entry));
  model.setRows(moduleRows(s.module));
  model.setRows({{"a", "1", {}, {{"b", "2"}}}});
  EXPECT_EQ(model.textOf({}), "a: 1\n  b: 2\n");
  const QModelIndex b = model.index(0, 0, model.index(0, 0));
  EXPECT_EQ(model.textOf(b), "b: 2\n");
  EXPECT_EQ(b.parent(), model.index(0, 0));
}

}  // namespace
}  // namespace hilo
