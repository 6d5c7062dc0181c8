#include "core/hlo/dump/memory_report.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(MemoryReport, OlderFormHasOneSpace) {
  const auto report = parseMemoryReport(
      "Total bytes used: 1645336 (1.57MiB)\n\n"
      "Allocations sorted by size:\n\n"
      "cumulative_size; total_size - cumulative_size; allocation\n"
      "------------------------------------------------------------------------------\n"
      "  795.0KiB( 49%);   811.8KiB; allocation 0: size 795.0KiB, output shape is |c128[12,2]|, "
      "maybe-live-out:\n"
      "   1.57MiB(100%);        24B; allocation 7: size 96B, preallocated-temp:\n");
  ASSERT_TRUE(report) << toString(report.error());
  EXPECT_EQ(report->totalBytes(), 1645336);
  ASSERT_EQ(report->spaces.size(), 1u);
  const auto& entries = report->spaces[0].entries;
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].allocation, 0);
  EXPECT_EQ(entries[0].sizeBytes, 814080);
  EXPECT_EQ(entries[0].cumulativePercent, 49);
  EXPECT_EQ(entries[0].description, "output shape is |c128[12,2]|, maybe-live-out");
  EXPECT_EQ(entries[1].allocation, 7);
  EXPECT_EQ(entries[1].sizeBytes, 96);
}

TEST(MemoryReport, NewerFormHasMemorySpaces) {
  const auto report = parseMemoryReport(
      "Memory Space: default (color=0)\nTotal bytes: 100 (100B)\n\n"
      "Memory Space: host (color=5)\nTotal bytes: 20 (20B)\n");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->spaces.size(), 2u);
  EXPECT_EQ(report->spaces[1].name, "host");
  EXPECT_EQ(report->spaces[1].color, 5);
  EXPECT_EQ(report->totalBytes(), 120);
}

TEST(MemoryReport, OtherTextIsRefused) {
  const auto report = parseMemoryReport("HloModule m\n", "x.txt");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, "not-a-memory-report");
}

TEST(MemoryReport, IsComparedWithThePlanButForRounding) {
  BufferAssignment plan;
  plan.allocations = {{.index = 0, .sizeBytes = 1584}, {.index = 1, .sizeBytes = 4096}};
  MemoryReport report;
  report.spaces.push_back({.entries = {{.allocation = 0, .sizeBytes = parseHumanBytes("1.5KiB")},
                                       {.allocation = 1, .sizeBytes = parseHumanBytes("4.0KiB")}}});
  EXPECT_TRUE(compareReport(report, plan).empty());
  report.spaces[0].entries[0].sizeBytes = 2048;
  report.spaces[0].entries[1].allocation = 7;
  const Diagnostics found = compareReport(report, plan);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, "report-differs");
  EXPECT_EQ(found[1].message, "the memory usage report has an allocation 7 of 4096 bytes, the plan has none");
}

TEST(MemoryReport, HumanBytes) {
  EXPECT_EQ(parseHumanBytes("96B"), 96);
  EXPECT_EQ(parseHumanBytes("1.5KiB"), 1536);
  EXPECT_EQ(parseHumanBytes("2.00GiB"), int64_t{2} << 30);
  EXPECT_EQ(parseHumanBytes("12"), -1);
  EXPECT_EQ(parseHumanBytes("KiB"), -1);
  EXPECT_EQ(parseHumanBytes("-1B"), -1);
  EXPECT_EQ(parseHumanBytes("1e300EiB"), -1);
}

}  // namespace
}  // namespace hilo
