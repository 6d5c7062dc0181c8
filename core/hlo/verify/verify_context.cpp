#include "core/hlo/verify/verify_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hlo/verify/rules.h"

namespace hilo {

void VerifyReport::add(Diagnostic&& diagnostic, uint32_t sourceOffset, const Computation* computation,
                       const Instruction* instruction) {
  if (isFull()) return;
  Place& place = diagnostic.place;
  place.file = options_.fileName;
  if (computation != nullptr) place.computation = computation->name();
  if (instruction != nullptr) place.instruction = instruction->name();
  if (const auto& text = module_.sourceText(); text != nullptr && sourceOffset <= text->size()) {
    const auto before = std::string_view(*text).substr(0, sourceOffset);
    place.line = options_.firstLine + static_cast<uint32_t>(std::ranges::count(before, '\n'));
    const size_t lineStart = before.rfind('\n');
    place.column =
        static_cast<uint32_t>(lineStart == before.npos ? before.size() + 1 : before.size() - lineStart);
  }
  if (diagnostic.severity == Severity::kError && ++errorCount_ == options_.errorLimit) {
    diagnostic.notes.push_back(fmt::format("stopped after {} errors", errorCount_));
  }
  diagnostics_.push_back(std::move(diagnostic));
}

void VerifyReport::add(Diagnostic&& diagnostic, const Instruction& at) {
  add(std::move(diagnostic), at.sourceOffset(), &at.parent(), &at);
}

void VerifyReport::error(VerifyKind kind, const Instruction& at, std::string message, std::string note) {
  add(refuse(kind, std::move(message), std::move(note)).error(), at);
}

void VerifyReport::error(VerifyKind kind, const Computation& at, std::string message, std::string note) {
  add(refuse(kind, std::move(message), std::move(note)).error(), at.sourceOffset(), &at, nullptr);
}

void VerifyReport::error(VerifyKind kind, std::string message, std::string note) {
  add(refuse(kind, std::move(message), std::move(note)).error(), Instruction::kNoOffset, nullptr, nullptr);
}

void VerifyReport::warning(VerifyKind kind, const Instruction& at, std::string message) {
  add(Severity::kWarning, kind, at, std::move(message));
}

void VerifyReport::add(Severity severity, VerifyKind kind, const Instruction& at, std::string message) {
  Diagnostic diagnostic = refuse(kind, std::move(message)).error();
  diagnostic.severity = severity;
  add(std::move(diagnostic), at);
}

absl::InlinedVector<Computation*, 2> computationsOf(const Attribute& attribute) {
  if (attrKind(attribute.key) == AttrKind::Computation) {
    return {static_cast<Computation*>(const_cast<void*>(attribute.pointer))};
  }
  if (attrKind(attribute.key) != AttrKind::ComputationList) return {};
  const auto list = attr_detail::unpack<std::span<Computation* const>>(attribute);
  return {list.begin(), list.end()};
}

VerifyContext::VerifyContext(const Module& theModule, const VerifyOptions& theOptions)
    : module(theModule),
      options(theOptions),
      report(theModule, theOptions),
      passed(theModule.idLimit(), false) {
  uint32_t limit = 0;
  for (const Computation* computation : module.computations())
    limit = std::max(limit, computation->id().value + 1);
  callers_.resize(limit);
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::AsyncUpdate || instruction->opcode() == Opcode::AsyncDone)
        continue;
      for (const Attribute& attribute : instruction->attributes()) {
        for (const Computation* called : computationsOf(attribute)) {
          if (isOwn(called)) callers_[called->id().value].push_back({instruction, attribute.key});
        }
      }
    }
  }
}

bool VerifyContext::isCalledBy(const Computation& computation, Opcode opcode) const {
  return std::ranges::any_of(callers(computation),
                             [&](const CallSite& site) { return site.caller->opcode() == opcode; });
}

const ShapeFacts& VerifyContext::facts(Shape shape) {
  std::unique_ptr<ShapeFacts>& facts = facts_[shape];
  if (facts == nullptr) facts = std::make_unique<ShapeFacts>(shapeFacts(shape));
  return *facts;
}

std::string_view VerifyContext::threadOf(const Computation& computation) const {
  const Computation* at = &computation;
  // Up the callers; the bound is for modules whose calls go round.
  for (size_t steps = module.computations().size(); steps != 0; --steps) {
    if (const auto thread = at->attributes().get<Attr::ExecutionThread>(); !thread.empty()) return thread;
    if (callers(*at).empty()) break;
    const Instruction* caller = callers(*at)[0].caller;
    if (caller->opcode() == Opcode::AsyncStart) {
      if (const auto thread = caller->get<Attr::AsyncExecutionThread>(); !thread.empty()) return thread;
    }
    at = &caller->parent();
  }
  return "main";
}

bool hasFrontendAttribute(const Instruction& instruction, std::string_view name) {
  return std::ranges::any_of(instruction.get<Attr::FrontendAttributes>(),
                             [&](const FrontendAttribute& a) { return a.name == name; });
}

}  // namespace hilo
