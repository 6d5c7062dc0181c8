#include "core/workspace/text/printed_module.h"

#include "core/hlo/text/print.h"

namespace hilo {
namespace {

PrintOptions optionsOf(const Module& module, TextForm form) {
  switch (form) {
    case TextForm::AsRead:
      return PrintOptions::asRead(module);
    case TextForm::Short:
      return PrintOptions::shortText();
    case TextForm::Semantic: {
      PrintOptions options = PrintOptions::asRead(module);
      options.metadata = options.backendConfig = options.layouts = options.frontendAttributes = false;
      options.originalValue = options.stackFrameTables = options.header = false;
      return options;
    }
    case TextForm::Canonical:
      return PrintOptions::canonical();
  }
  return {};
}

// A copy with the same ids.
std::unique_ptr<Module> withoutShardings(const Module& module) {
  std::unique_ptr<Module> plain = module.clone();
  for (Computation* computation : plain->computations()) {
    for (Instruction* i : computation->instructions()) i->erase(Attr::Sharding);
  }
  return plain;
}

}  // namespace

std::string_view PrintedModule::line(size_t index) const {
  const size_t begin = lineStarts[index];
  const size_t end = index + 1 < lineStarts.size() ? lineStarts[index + 1] : text.size();
  std::string_view line(text.data() + begin, end - begin);
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

PrintedModule printForView(std::shared_ptr<const Module> module, TextForm form) {
  PrintedModule printed;
  TextIndex index;
  const std::unique_ptr<Module> plain = form == TextForm::Semantic ? withoutShardings(*module) : nullptr;
  printed.text = printModule(plain ? *plain : *module, optionsOf(*module, form), index);
  printed.instructionLines.assign(module->idLimit(), PrintedModule::npos);
  for (uint32_t n = 0; n < index.lineCount(); ++n) {
    const InstructionId id = index.instructionAt(n);
    printed.lineStarts.push_back(index.lineStart(n));
    printed.lines.push_back({index.computationAt(n), id});
    if (id.valid()) printed.instructionLines[id.value] = n;
  }
  for (const Computation* computation : module->computations()) {
    const uint32_t id = computation->id().value;
    const uint32_t line = index.lineOf(computation->id());
    if (id >= printed.computationLines.size()) printed.computationLines.resize(id + 1, PrintedModule::npos);
    if (line != TextIndex::kNoLine) printed.computationLines[id] = line;
  }
  printed.module = std::move(module);
  return printed;
}

std::string printedLine(const Instruction& instruction) {
  return printInstruction(instruction, PrintOptions::asRead(instruction.module()));
}

}  // namespace hilo
