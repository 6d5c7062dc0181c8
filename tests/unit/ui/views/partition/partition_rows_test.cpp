// The tables of the partition view as models.
#include "ui/views/partition/partition_rows.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace hilo {
namespace {

Partitioning twoProblems() {
  Partitioning partitioning;
  partitioning.replications = {
      {.name = "dot", .opcode = "dot", .shares = 8, .of = 8, .wastedNs = 2000, .text = "all 8 shares"}};
  FullRematerialization full{.shape = "f32[8]", .bytes = 32};
  full.cause.producer.name = "w";
  partitioning.fullRematerializations = {full};
  return partitioning;
}

TEST(PartitionRows, FullRematerializationsComeFirst) {
  const Partitioning partitioning = twoProblems();
  TableModel<PartitionProblem> model(problemColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setRows(problemsOf(partitioning, false));
  ASSERT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.index(0, 0).data().toString(), "full rematerialization");
  EXPECT_EQ(model.index(0, 2).data().toString(), "32 B");
  EXPECT_EQ(model.index(1, 0).data().toString(), "computed 8 times");
  EXPECT_EQ(model.index(1, 2).data().toString(), "2.00 µs");
  model.sort(2, Qt::AscendingOrder);
  EXPECT_EQ(model.index(0, 1).data().toString(), "dot");
}

TEST(PartitionRows, CollectivesSayTheAxisOrHowManyDevices) {
  TableModel<AlikeCollectives> model(collectiveColumns());
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  PartitionCollective along{
      .name = "all-gather", .axes = {"a", "b"}, .groupSize = 8, .bytes = 1024, .times = 3};
  PartitionCollective other{.name = "all-reduce", .groupSize = 8, .bytes = 2048};
  model.setRows(collectiveRows({.collectives = {along, other}}, false));
  EXPECT_EQ(model.index(0, 3).data().toString(), "1.00 KiB × 3");
  EXPECT_EQ(model.index(0, 4).data().toString(), "a, b");
  EXPECT_EQ(model.index(1, 3).data().toString(), "2.00 KiB");
  EXPECT_EQ(model.index(1, 4).data().toString(), "8 devices");
  model.sort(3, Qt::DescendingOrder);
  EXPECT_EQ(model.index(0, 0).data().toString(), "all-gather");  // three times one is more than two
}

// As of two layers: one row with the times of both, whose name says how many more there are.
TEST(PartitionRows, WhatIsAlikeIsOneRow) {
  Partitioning partitioning = twoProblems();
  partitioning.replications.push_back(partitioning.replications[0]);
  partitioning.replications[1].name = "dot.1";
  const auto problems = problemsOf(partitioning, true);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[1].ns, 4000);
  EXPECT_EQ(problems[1].others, 1u);
  partitioning.collectives = {{.name = "all-gather", .bytes = 8, .ns = 5},
                              {.name = "all-gather.1", .bytes = 8, .ns = 6},
                              {.name = "large", .bytes = 64, .ns = 50}};
  const auto rows = collectiveRows(partitioning, true);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "large");
  EXPECT_EQ(rows[1].ns, 11);
  EXPECT_EQ(rows[1].others, std::vector<std::string>{"all-gather.1"});
}

TEST(PartitionRows, ReshardsAndArraysAreModels) {
  TableModel<Reshard> reshards(reshardColumns());
  TableModel<ShardedArray> arrays(arrayColumns());
  const QAbstractItemModelTester first(&reshards, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QAbstractItemModelTester second(&arrays, QAbstractItemModelTester::FailureReportingMode::Fatal);
  reshards.setRows(std::vector<Reshard>(3));
  arrays.setRows({{.name = "x", .partBytes = 8, .copies = 2}, {.name = "y", .axes = "dimension 0 along a"}});
  EXPECT_EQ(reshards.rowCount(), 3);
  EXPECT_EQ(arrays.index(0, 4).data().toString(), "whole on each device");
  EXPECT_EQ(arrays.index(1, 4).data().toString(), "dimension 0 along a");
}

}  // namespace
}  // namespace hilo
