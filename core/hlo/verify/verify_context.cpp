#include "core/hlo/verify/verify_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/bounded_text.h"
#include "core/hlo/verify/rules.h"

namespace hilo {

void VerifyReport::add(Diagnostic&& diagnostic, uint32_t sourceOffset, const Computation* computation,
                       const Instruction* instruction) {
  const bool isError = diagnostic.severity == Severity::kError;
  if (isError ? isFull() : warningCount_ == options_.errorLimit) return;
  if (options_.onlyBreaking && (!isError || !breaksReaders(diagnostic.kind))) return;
  diagnostic.message = boundedText(std::move(diagnostic.message));
  Place& place = diagnostic.place;
  place.file = options_.fileName;
  if (computation != nullptr) place.computation = computation->name();
  if (instruction != nullptr) place.instruction = instruction->name();
  size_t& count = isError ? errorCount_ : warningCount_;
  if (++count == options_.errorLimit) {
    diagnostic.notes.push_back(fmt::format("stopped after {} {}", count, isError ? "errors" : "warnings"));
  }
  findings_.push_back({std::move(diagnostic), sourceOffset});
}

// Lines are counted once over the text, whose parts are visited in their order.
Diagnostics VerifyReport::take() {
  std::vector<Finding*> byOffset;
  const auto& text = module_.sourceText();
  for (Finding& finding : findings_) {
    if (text != nullptr && finding.sourceOffset <= text->size()) byOffset.push_back(&finding);
  }
  std::ranges::sort(byOffset, {}, &Finding::sourceOffset);
  uint32_t line = options_.firstLine;
  size_t lineStart = 0;
  for (Finding* finding : byOffset) {
    for (size_t newline; (newline = text->find('\n', lineStart)) < finding->sourceOffset; ++line) {
      lineStart = newline + 1;
    }
    finding->diagnostic.place.line = line;
    finding->diagnostic.place.column = static_cast<uint32_t>(finding->sourceOffset - lineStart) + 1;
  }
  Diagnostics diagnostics;
  for (Finding& finding : findings_) diagnostics.push_back(std::move(finding.diagnostic));
  findings_.clear();
  return diagnostics;
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
  threads_.resize(limit);
  positions_.resize(limit);
  for (size_t position = 0; const Computation* computation : module.computations()) {
    positions_[computation->id().value] = position++;
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

std::string_view VerifyContext::threadOf(const Computation& computation) {
  // Up the callers to the first that says, or is known; all on the way are on the same thread.
  std::vector<const Computation*> path;
  std::string_view thread;
  for (const Computation* at = &computation; thread.empty(); at = &callers(*at)[0].caller->parent()) {
    thread = threads_[at->id().value];
    if (!thread.empty()) break;
    path.push_back(at);
    thread = at->attributes().get<Attr::ExecutionThread>();
    if (!thread.empty()) break;
    // Calls may go round in a module that is wrong.
    if (callers(*at).empty() || path.size() > threads_.size()) thread = "main";
    if (!thread.empty()) break;
    const Instruction* caller = callers(*at)[0].caller;
    if (caller->opcode() == Opcode::AsyncStart) thread = caller->get<Attr::AsyncExecutionThread>();
  }
  for (const Computation* passedBy : path) threads_[passedBy->id().value] = thread;
  return thread;
}

bool hasFrontendAttribute(const Instruction& instruction, std::string_view name) {
  return std::ranges::any_of(instruction.get<Attr::FrontendAttributes>(),
                             [&](const FrontendAttribute& a) { return a.name == name; });
}

}  // namespace hilo
