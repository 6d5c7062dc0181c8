// Where values are expected to lie, one module a row. Expectations are words about values, written as an
// instruction's name with an index where it has one ("w{0}"): "x==y" the same place, "x!=y" not the same,
// "x~y" in one allocation, "x!~y" in two, "x:out" a fact of its allocation (param, out, const, local, temp,
// tuple), "x!:out" not so, "x:none" no allocation, "x.size=400" bytes of its allocation, "x.at=64" its
// offset, "x.color=1", "x.bytes=32" its own size, "x.peak=y" what its allocation holds when it holds most,
// "x<y" the allocation with the lower number; "bytes=N" of the plan, "allocations=N".
#pragma once

#include <absl/strings/str_split.h>
#include <gtest/gtest.h>

#include "core/analysis/backend.h"
#include "core/compiler/buffers/buffer_assigner.h"
#include "core/compiler/buffers/plan_check.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/text/parse.h"

namespace hilo {

enum class PlannedFor : uint8_t { ListedAndAnyOrder, ListedOrder, AnyOrder };

struct PlanExpectation {
  const char* name;
  const char* words;
  const char* module;
  PlannedFor orders = PlannedFor::ListedAndAnyOrder;
  void (*configure)(BufferAssignmentOptions&, const Module&) = nullptr;
  bool copiesFirst = false;
};

class PlanExpectations : public testing::TestWithParam<PlanExpectation> {
 protected:
  struct Place {
    const BufferAllocation* allocation = nullptr;
    AssignedBuffer assigned;
  };

  Place placeOf(std::string_view name) const {
    const size_t brace = name.find('{');
    const Instruction* instruction = module_->findInstruction(name.substr(0, brace));
    EXPECT_NE(instruction, nullptr) << name;
    if (instruction == nullptr) return {};
    ShapeIndex index;
    if (brace != name.npos) {
      const absl::string_view inner(name.data() + brace + 1, name.size() - brace - 2);
      for (const absl::string_view part : absl::StrSplit(inner, ','))
        index.push_back(std::stoi(std::string(part)));
    }
    for (const ValueId id : aliases_->dataflow().valuesAt(*instruction, index)) {
      for (const BufferAllocation& allocation : plan_.allocations) {
        for (const AssignedBuffer& assigned : allocation.assigned) {
          if (assigned.bufferId == id.value) return {&allocation, assigned};
        }
      }
    }
    return {};
  }

  static bool hasFact(const BufferAllocation& a, std::string_view fact) {
    if (fact == "param") return a.isEntryParameter;
    if (fact == "out") return a.maybeLiveOut;
    if (fact == "const") return a.isConstant;
    if (fact == "local") return a.isThreadLocal;
    if (fact == "temp") return a.isPreallocatedTemp;
    EXPECT_EQ(fact, "tuple");
    return a.isTuple;
  }

  std::string number(std::string_view left) const {
    if (left == "bytes") return std::to_string(plan_.totalBytes);
    if (left == "allocations") return std::to_string(plan_.allocations.size());
    const size_t dot = left.rfind('.');
    const Place place = placeOf(left.substr(0, dot));
    if (place.allocation == nullptr) return "none";
    const std::string_view what = left.substr(dot + 1);
    if (what == "size") return std::to_string(place.allocation->sizeBytes);
    if (what == "at") return std::to_string(place.assigned.offsetBytes);
    if (what == "color") return std::to_string(place.allocation->color);
    if (what == "bytes") return std::to_string(place.assigned.sizeBytes);
    EXPECT_EQ(what, "peak");
    std::vector<std::string> names;
    for (const int64_t id : plan_.peakBuffers[static_cast<size_t>(place.allocation->index)])
      names.push_back(plan_.buffer(id)->instruction);
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, "+"));
  }

  void checkPlaces(const Place& a, std::string_view relation, const Place& b, std::string_view word) const {
    ASSERT_TRUE(a.allocation != nullptr && b.allocation != nullptr) << word;
    const bool together = a.allocation == b.allocation;
    if (relation == "~" || relation == "!~") {
      EXPECT_EQ(together, relation == "~") << word;
    } else if (relation == "<") {
      EXPECT_LT(a.allocation->index, b.allocation->index) << word;
    } else {
      EXPECT_EQ(together && a.assigned.offsetBytes == b.assigned.offsetBytes, relation == "==") << word;
    }
  }

  void check(std::string_view word) const {
    for (const std::string_view relation : {"==", "!=", "!~", "~", "<"}) {
      const size_t at = word.find(relation);
      if (at == word.npos) continue;
      checkPlaces(placeOf(word.substr(0, at)), relation, placeOf(word.substr(at + relation.size())), word);
      return;
    }
    if (const size_t colon = word.find(':'); colon != word.npos) {
      const bool negated = word[colon - 1] == '!';
      const Place place = placeOf(word.substr(0, negated ? colon - 1 : colon));
      const std::string_view fact = word.substr(colon + 1);
      if (fact == "none") {
        EXPECT_EQ(place.allocation, nullptr) << word;
      } else {
        ASSERT_NE(place.allocation, nullptr) << word;
        EXPECT_EQ(hasFact(*place.allocation, fact), !negated) << word;
      }
      return;
    }
    const size_t equal = word.find('=');
    EXPECT_EQ(number(word.substr(0, equal)), word.substr(equal + 1)) << word;
  }

  void plan(bool anyOrder) {
    const PlanExpectation& row = GetParam();
    SCOPED_TRACE(anyOrder ? "any order" : "the order of the lists");
    auto parsed = parseModuleStrictly(std::string("HloModule m") + (anyOrder ? "" : ", is_scheduled=true") +
                                      row.module);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    if (row.copiesFirst) {
      PassContext context;
      ASSERT_TRUE(insertCopies(*module_, context));
    }
    BufferAssignmentOptions options{.alignmentBytes = 1, .anyOrder = anyOrder};
    if (row.configure != nullptr) row.configure(options, *module_);
    auto planned = assignBuffers(*module_, options);
    ASSERT_TRUE(planned) << toString(planned.error());
    plan_ = std::move(*planned);
    auto aliases = AliasAnalysis::run(*module_, backendOf(*module_));
    ASSERT_TRUE(aliases);
    aliases_ = std::make_unique<AliasAnalysis>(std::move(*aliases));
    if (options.privateStacks.empty()) {
      for (const Diagnostic& problem : checkBufferPlan(ValueLiveRanges(*aliases_), plan_))
        ADD_FAILURE() << toString(problem);
    }
    for (const absl::string_view word : absl::StrSplit(row.words, ' ', absl::SkipEmpty()))
      check({word.data(), word.size()});
  }

  void run() {
    if (GetParam().orders != PlannedFor::AnyOrder) plan(false);
    if (GetParam().orders != PlannedFor::ListedOrder) plan(true);
  }

  std::unique_ptr<Module> module_;
  std::unique_ptr<AliasAnalysis> aliases_;
  BufferAssignment plan_;
};

}  // namespace hilo
