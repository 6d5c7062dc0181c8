// What copies are expected where, one module a row. Expectations are words: "total=3" copies in the module,
// "body=1" in a computation, "edges:body=2" control edges into its instructions, "w.0.1=copy" the opcode
// found by going from %w to operand 0 and on to its operand 1, "root:body.0=add" the same from a
// computation's root, "w.0!=v.0" two different instructions, "x<y" a control edge from x to y.
#pragma once

#include <absl/strings/str_split.h>
#include <gtest/gtest.h>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/dataflow/value_order.h"
#include "core/compiler/passes/memory/copy_insertion.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"

namespace hilo {

struct CopyExpectation {
  const char* name;
  const char* words;
  const char* module;
  bool evaluated = true;  // has only what the evaluator runs: results must not change
};

class CopyExpectations : public testing::TestWithParam<CopyExpectation> {
 protected:
  static size_t copiesIn(const Computation& computation) {
    size_t copies = 0;
    for (const Instruction* i : computation.instructions()) copies += i->opcode() == Opcode::Copy;
    return copies;
  }

  const Instruction* follow(std::string_view path) const {
    const std::vector<std::string_view> steps =
        absl::StrSplit(absl::string_view(path.data(), path.size()), '.');
    const Instruction* at = nullptr;
    if (steps[0].starts_with("root:")) {
      const Computation* computation = module_->findComputation(steps[0].substr(5));
      at = computation == nullptr ? nullptr : computation->root();
    } else {
      at = module_->findInstruction(steps[0]);
    }
    for (size_t i = 1; at != nullptr && i < steps.size(); ++i) {
      const auto operand = static_cast<size_t>(steps[i][0] - '0');
      at = operand < at->operandCount() ? at->operand(operand) : nullptr;
    }
    return at;
  }

  size_t edgesIn(std::string_view computation) const {
    size_t edges = 0;
    for (const Computation* c : module_->computations()) {
      if (computation != "total" && c->name() != computation) continue;
      for (const Instruction* i : c->instructions()) edges += i->get<Attr::ControlPredecessors>().size();
    }
    return edges;
  }

  std::string found(std::string_view left) const {
    if (left == "total") {
      size_t copies = 0;
      for (const Computation* computation : module_->computations()) copies += copiesIn(*computation);
      return std::to_string(copies);
    }
    if (left.starts_with("edges:")) return std::to_string(edgesIn(left.substr(6)));
    if (const Computation* computation = module_->findComputation(left);
        computation != nullptr && left.find('.') == std::string_view::npos)
      return std::to_string(copiesIn(*computation));
    const Instruction* at = follow(left);
    return at == nullptr ? "nothing" : std::string(at->opcodeText());
  }

  void check(std::string_view word) const {
    if (const size_t differ = word.find("!="); differ != word.npos) {
      EXPECT_NE(follow(word.substr(0, differ)), follow(word.substr(differ + 2))) << word;
    } else if (const size_t edge = word.find('<'); edge != word.npos) {
      const Instruction *before = follow(word.substr(0, edge)), *after = follow(word.substr(edge + 1));
      ASSERT_TRUE(before != nullptr && after != nullptr) << word;
      const auto edges = after->get<Attr::ControlPredecessors>();
      EXPECT_NE(std::ranges::find(edges, before), edges.end()) << word;
    } else {
      const size_t equal = word.find('=');
      EXPECT_EQ(found(word.substr(0, equal)), word.substr(equal + 1)) << word;
    }
  }

  // The first two arrays that share a buffer and may be needed at the same time; "" when there are none.
  std::string interference() const {
    const Backend backend = backendOf(*module_);
    const auto aliases = AliasAnalysis::run(*module_, backend);
    if (!aliases) return toString(aliases.error());
    const DataflowAnalysis& dataflow = aliases->dataflow();
    ExecutionOrder execution(*module_, dataflow.callGraph());
    ValueOrder order(dataflow, execution, backend);
    for (const HloBuffer& buffer : aliases->buffers()) {
      const auto& home = dataflow.value(buffer.values[0]).instruction().parent();
      if (dataflow.callGraph().node(home).context == CallContext::Embedded) continue;
      for (size_t i = 0; i < buffer.values.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          const HloValue &a = dataflow.value(buffer.values[i]), &b = dataflow.value(buffer.values[j]);
          if (a.shape.isArray() && order.mayInterfere(a, b)) return toString(a) + " and " + toString(b);
        }
      }
    }
    return "";
  }

  void run() {
    const CopyExpectation& row = GetParam();
    auto parsed = parseModuleStrictly(row.module);
    ASSERT_TRUE(parsed) << toString(parsed.error());
    module_ = std::move(*parsed);
    const auto original = module_->clone();
    PassContext context;
    const auto changed = insertCopies(*module_, context);
    ASSERT_TRUE(changed) << toString(changed.error());
    EXPECT_FALSE(hasErrors(verify(*module_, {})));
    EXPECT_EQ(row.evaluated ? interference() : "", "");
    for (const absl::string_view word : absl::StrSplit(row.words, ' ', absl::SkipEmpty()))
      check({word.data(), word.size()});
    if (HasFailure()) {
      for (const Remark& remark : context.remarks())
        ADD_FAILURE() << remark.name << " " << remark.kind << ": " << remark.message;
    }
    if (!row.evaluated) return;
    const auto arguments = makeArguments(*original, 7);
    const auto before = evaluate(*original, arguments->arguments),
               after = evaluate(*module_, arguments->arguments);
    EXPECT_TRUE(before && after && *before == *after);
  }

  std::unique_ptr<Module> module_;
};

}  // namespace hilo
