#include "core/workspace/thunks/kernel_forms.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "core/analysis/diff/line_diff.h"
#include "core/hlo/ir/module.h"
#include "core/hlo/text/print.h"

namespace hilo {
namespace {

class FormPrinter {
 public:
  KernelForm form{.title = "HLO", .text = {}, .instructions = {}};

  void add(const Instruction& instruction, std::string_view indent) {
    const bool isRoot = instruction.parent().root() == &instruction;
    line(std::string(indent) + (isRoot ? "ROOT " : "") + printInstruction(instruction, options_),
         instruction.id());
  }
  void addCalled(const Instruction& instruction) {
    for (const Computation* called : instruction.calledComputations()) {
      if (!printed_.insert(called).second) continue;
      line("", {});
      line(std::string(called->name()) + " {", {});
      for (const Instruction* inner : called->instructions()) add(*inner, "  ");
      line("}", {});
      for (const Instruction* inner : called->instructions()) addCalled(*inner);
    }
  }

 private:
  static PrintOptions options() {
    PrintOptions options;
    options.percent = false;
    options.metadata = false;
    options.backendConfig = false;
    options.originalValue = false;
    return options;
  }
  void line(const std::string& text, InstructionId id) {
    form.text += text + "\n";
    form.instructions.push_back(id);
  }

  const PrintOptions options_ = options();
  absl::flat_hash_set<const Computation*> printed_;
};

}  // namespace

KernelForm hloForm(const Instruction& instruction) {
  FormPrinter printer;
  printer.add(instruction, "");
  printer.addCalled(instruction);
  return std::move(printer.form);
}

// Of lines that changed those before come first, as in any diff.
KernelForm differenceOf(const KernelForm& before, const KernelForm& after, std::string title) {
  KernelForm form{.title = std::move(title), .text = {}, .instructions = {}};
  const auto add = [&](char mark, std::string_view line, InstructionId instruction) {
    form.text += fmt::format("{}{}\n", mark, line);
    form.instructions.push_back(instruction);
    form.marks += mark;
  };
  const auto left = splitLines(before.text), right = splitLines(after.text);
  std::vector<uint32_t> waiting;
  const auto addWaiting = [&] {
    for (const uint32_t line : waiting) add('+', right[line], after.at(line));
    waiting.clear();
  };
  for (const DiffRow& row : diffLines(left, right).rows) {
    if (row.kind == DiffKind::Same) {
      addWaiting();
      add(' ', right[row.right], after.at(row.right));
      continue;
    }
    if (row.left != DiffRow::kNoLine) add('-', left[row.left], before.at(row.left));
    if (row.right != DiffRow::kNoLine) waiting.push_back(row.right);
  }
  addWaiting();
  return form;
}

}  // namespace hilo
