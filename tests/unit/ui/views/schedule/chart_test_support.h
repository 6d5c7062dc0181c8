// A small module's orders, as the schedule view shows them: a gather right before its done, work after it.
#pragma once

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/workspace/schedule/schedule_study.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

inline constexpr const char* kOverlapModule = R"(HloModule m, is_scheduled=true, num_partitions=2
ENTRY e {
  x = bf16[512,1024]{1,0} parameter(0)
  w = bf16[1024,1024]{1,0} parameter(1)
  start = (bf16[512,1024]{1,0}, bf16[1024,1024]{1,0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
  done = bf16[1024,1024]{1,0} all-gather-done(start)
  independent = bf16[512,1024]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  needs = bf16[1024,1024]{1,0} dot(done, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (bf16[512,1024]{1,0}, bf16[1024,1024]{1,0}) tuple(independent, needs)
}
)";

struct StudiedModule {
  std::shared_ptr<const Module> module;
  std::shared_ptr<const ScheduleStudy> study;

  explicit StudiedModule(const char* text = kOverlapModule) {
    auto parsed = parseModuleStrictly(text);
    EXPECT_TRUE(parsed) << (parsed ? "" : toString(parsed.error()));
    module = std::move(*parsed);
    auto opened = ScheduleStudy::open(module, true, JobContext());
    EXPECT_TRUE(opened) << (opened ? "" : toString(opened.error()));
    study = *std::move(opened);
  }
  std::shared_ptr<const ShownOrder> run(const ScheduleScenario& scenario) const {
    auto outcome = study->run(scenario, JobContext());
    EXPECT_TRUE(outcome) << (outcome ? "" : toString(outcome.error()));
    return outcome ? std::make_shared<const ShownOrder>(*std::move(outcome)) : nullptr;
  }
  InstructionId id(const char* name) const { return study->base().findInstruction(name)->id(); }
};

}  // namespace hilo
