#include "core/hlo/dump/dump_name.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

TEST(DumpName, Stages) {
  const DumpName before = parseDumpName("module_0007.jit_f.before_optimizations.txt");
  EXPECT_EQ(before.part, DumpPart::Module);
  EXPECT_EQ(before.number, 7);
  EXPECT_EQ(before.moduleName, "jit_f");
  EXPECT_EQ(before.stage, "before_optimizations");
  EXPECT_EQ(before.step, -1);

  const DumpName gpu = parseDumpName("module_0040.pjit__step.sm_8.0_gpu_after_optimizations.hlo.pb.gz");
  EXPECT_EQ(gpu.part, DumpPart::Module);
  EXPECT_EQ(gpu.moduleName, "pjit__step");
  EXPECT_EQ(gpu.stage, "sm_8.0_gpu_after_optimizations");
  EXPECT_TRUE(gpu.gzip);

  const DumpName old = parseDumpName("jit__mean.cpu_after_optimizations.txt");
  EXPECT_EQ(old.part, DumpPart::Module);
  EXPECT_EQ(old.number, -1);
  EXPECT_EQ(old.moduleName, "jit__mean");

  const DumpName stamped = parseDumpName("1700000000123456.module_12345.a.b.after_spmd_partitioner.txt");
  EXPECT_EQ(stamped.timestamp, "1700000000123456");
  EXPECT_EQ(stamped.number, 12345);
  EXPECT_EQ(stamped.moduleName, "a.b");
  EXPECT_EQ(stamped.stage, "after_spmd_partitioner");
}

TEST(DumpName, PassSeries) {
  const DumpName step = parseDumpName(
      "module_0003.jit_f.0012.spmd-partitioner.after_sharding-propagation.before_spmd-partitioning.txt");
  EXPECT_EQ(step.part, DumpPart::Module);
  EXPECT_EQ(step.moduleName, "jit_f");
  EXPECT_EQ(step.step, 12);
  EXPECT_EQ(step.pipeline, "spmd-partitioner");
  EXPECT_EQ(step.afterPass, "sharding-propagation");
  EXPECT_EQ(step.beforePass, "spmd-partitioning");

  const DumpName within = parseDumpName("module_0003.jit_f.0044.copy-insertion.adding_copies.txt");
  EXPECT_EQ(within.step, 44);
  EXPECT_EQ(within.afterPass, "copy-insertion");
  EXPECT_EQ(within.part, DumpPart::Module);
}

TEST(DumpName, WhatStandsBesideTheModule) {
  const std::pair<const char*, DumpPart> cases[] = {
      {"module_0001.f.sm_9.0_gpu_after_optimizations-buffer-assignment.txt", DumpPart::BufferAssignment},
      {"module_0001.f.cpu_after_optimizations-memory-usage-report.txt", DumpPart::MemoryReport},
      {"module_0001.f.cpu_after_optimizations-live-range.txt", DumpPart::LiveRanges},
      {"module_0001.f.thunk_sequence.txt", DumpPart::ThunkSequence},
      {"module_0001.f.thunk_sequence_after_thunk_passes.txt", DumpPart::ThunkSequence},
      {"module_0001.f.thunk_metadata.pb", DumpPart::ThunkMetadata},
      {"module_0001.f.debug_options", DumpPart::DebugOptions},
      {"module_0001.f.config.pbtxt", DumpPart::Config},
      {"module_0001.f.gpu_target_config.pbtxt", DumpPart::TargetConfig},
      {"module_0001.f.autotune_results.pbtxt", DumpPart::AutotuneResults},
      {"module_0001.f.execution_0002.hlo_snapshot.pb", DumpPart::Snapshot},
      {"module_0001.f.execution_0002.hlo_unoptimized_snapshot.txt", DumpPart::UnoptimizedSnapshot},
      {"module_0001.f.ir-no-opt.ll", DumpPart::LlvmIr},
      {"module_0001.f.ptx", DumpPart::Ptx},
      {"module_0001.f.before_optimizations.html", DumpPart::Graph},
      {"module_0001.f.sm_9.0_gpu_after_optimizations_fusion.pyz", DumpPart::FusionDump},
      {"module_0001.f.priority_fusion_dump.txt", DumpPart::FusionDump},
      {"module_0001.metadata.textproto", DumpPart::Metadata},
      {"f.schedule.pb", DumpPart::Schedule},
      {"module_0001.f.autotuner_3.dot_1.before.txt", DumpPart::Autotuner},
      {"notes.md", DumpPart::Other},
  };
  for (const auto& [name, part] : cases) {
    EXPECT_EQ(dumpPartName(parseDumpName(name).part), dumpPartName(part)) << name;
  }
  EXPECT_EQ(parseDumpName("module_0001.f.execution_0002.hlo_snapshot.pb").execution, 2);
}

TEST(DumpName, KernelNamesBehindAKnownModuleName) {
  const DumpName name = parseDumpName("module_0001.a.b.fusion_2.ir-with-opt.ll", "a.b");
  EXPECT_EQ(name.moduleName, "a.b");
  EXPECT_EQ(name.detail, "fusion_2");
  EXPECT_EQ(name.part, DumpPart::LlvmIr);
}

TEST(DumpName, OddNamesDoNotCrash) {
  for (const char* name :
       {"", ".", "..", ".gz", "module_", "module_0001", "module_0001.", "module_x.txt", "0001.a.b",
        "99999999999999999999.module_99999999999999999999.f.before_optimizations.txt"}) {
    parseDumpName(name);
    parseDumpName(name, "f");
  }
}

}  // namespace
}  // namespace hilo
