#include <fmt/format.h>

#include <algorithm>

#include "core/runtime/ptx/ptx_reader.h"

namespace hilo {
namespace {

constexpr size_t kMostScopes = 64;

struct SpaceWord {
  std::string_view word;
  PtxSpace space;
};
constexpr SpaceWord kSpaces[] = {{"local", PtxSpace::Local},
                                 {"shared", PtxSpace::Shared},
                                 {"param", PtxSpace::Param},
                                 {"global", PtxSpace::Global},
                                 {"const", PtxSpace::Const}};

}  // namespace

// .entry name (params) attributes { body }, or .func (returns) name (params) attributes ;
Status PtxReader::readFunction(bool isEntry, PtxLinkage linkage) {
  PtxFunction function;
  function.isEntry = isEntry;
  function.linkage = linkage;
  function.line = in_.line();
  while (in_.take(".attribute")) {
    in_.until(")");
    TRY_STATUS(in_.expect(")"));
  }
  if (!isEntry && in_.peek() == '(') TRY_STATUS(readParams(function.returns));
  function.name = in_.name();
  if (function.name.empty()) return in_.unexpected("the name of a function");
  if (in_.peek() == '(') TRY_STATUS(readParams(function.params));
  TRY_STATUS(readAttributes(function));
  module_.functions.push_back(std::move(function));
  function_ = &module_.functions.back();
  if (in_.take(";")) return {};
  TRY_STATUS(in_.expect("{"));
  function_->hasBody = true;
  return readBody();
}

Status PtxReader::readAttributes(PtxFunction& function) {
  while (in_.peek() == '.') {
    PtxAttribute attribute{.name = std::string(in_.directive())};
    if (attribute.name.empty()) return in_.unexpected("the name of a directive");
    if (attribute.name == "pragma") {
      in_.until(";");
      TRY_STATUS(in_.expect(";"));
      continue;
    }
    TRY(auto value, in_.number());
    while (value) {
      attribute.values.push_back(value->bits);
      if (!in_.take(",")) break;
      TRY(value, in_.number());
    }
    function.attributes.push_back(std::move(attribute));
  }
  return {};
}

Status PtxReader::readBody() {
  givenNames_.clear();
  scopes_.clear();
  scopes_.emplace_back();
  const auto addParams = [&](const std::vector<PtxVariable>& params) -> Status {
    for (const PtxVariable& param : params) {
      if (param.space == PtxSpace::Register) scopes_.back().registers[param.name] = {.type = param.type};
      TRY_STATUS(declare(param.name));
    }
    return {};
  };
  TRY_STATUS(addParams(function_->returns));
  TRY_STATUS(addParams(function_->params));
  while (!scopes_.empty()) {
    if (in_.take("}")) {
      TRY_STATUS(closeScope());
    } else if (in_.take("{")) {
      if (scopes_.size() >= kMostScopes) return in_.wrong("ptx-too-deep", "scopes are nested too deep");
      scopes_.emplace_back();
    } else {
      TRY_STATUS(readStatement());
    }
  }
  return findTargets();
}

Result<std::string> PtxReader::declare(const std::string& name) {
  auto& names = scopes_.back().names;
  if (names.contains(name))
    return in_.wrong("duplicate-name", fmt::format("{} is declared twice in the same scope", name));
  uint32_t& times = givenNames_[name];
  std::string unique = times == 0 ? name : fmt::format("{}${}", name, times);
  while (times++ > 0 && givenNames_.contains(unique)) unique = fmt::format("{}${}", name, times);
  if (unique != name) givenNames_[unique] = 1;
  names[name] = unique;
  return unique;
}

Status PtxReader::readStatement() {
  if (in_.take(";")) return {};
  if (in_.peek() == '.') return readBodyDirective(std::string(in_.directive()));
  return readInstruction();
}

Status PtxReader::readBodyDirective(std::string_view directive) {
  if (directive == "reg") return readRegisters();
  if (directive == "loc") return readLocation();
  if (directive == "pragma") {
    in_.until(";");
    return in_.expect(";");
  }
  PtxLinkage linkage = PtxLinkage::Internal;
  std::string word(directive);
  if (word == "extern") {
    linkage = PtxLinkage::Extern;
    word = in_.directive();
  }
  for (const SpaceWord& known : kSpaces) {
    if (word != known.word) continue;
    const size_t from = function_->variables.size();
    TRY_STATUS(readVariables(known.space, linkage, function_->variables));
    for (size_t i = from; i < function_->variables.size(); ++i) {
      TRY(function_->variables[i].name, declare(function_->variables[i].name));
    }
    return {};
  }
  return in_.wrong("unknown-directive", fmt::format("no directive .{} is known here", word));
}

// .reg .b32 %r<10>, %x;
Status PtxReader::readRegisters() {
  PtxType type;
  uint32_t vector = 1;
  while (in_.peek() == '.') {
    const std::string word(in_.directive());
    if (word == "v2" || word == "v4")
      vector = 2;
    else if (!readPtxType(word, type))
      return in_.wrong("unknown-type", fmt::format("no type .{} is known", word));
  }
  if (vector != 1) return in_.wrong("unknown-type", "registers that are vectors are not read");
  do {
    const std::string name(in_.name());
    if (name.empty()) return in_.unexpected("the name of a register");
    RegisterFamily family{.type = type};
    if (in_.take("<")) {
      TRY(family.count, in_.integer());
      TRY_STATUS(in_.expect(">"));
      if (family.count == 0) continue;
    }
    scopes_.back().registers[name] = std::move(family);
  } while (in_.take(","));
  return in_.expect(";");
}

// .loc 1 20 5, function_name $L__info_string0, inlined_at 1 30 2
Status PtxReader::readLocation() {
  PtxSource source;
  TRY(const uint64_t file, in_.integer());
  TRY(const uint64_t line, in_.integer());
  TRY(const uint64_t column, in_.integer());
  source = {static_cast<uint32_t>(file), static_cast<uint32_t>(line), static_cast<uint32_t>(column), {}};
  const std::string_view rest = in_.until("\n");
  if (rest.starts_with(",")) source.inlined = rest.substr(1);
  auto& sources = function_->sources;
  const auto& list = function_->instructions;
  const bool isUsed = !list.empty() && list.back().source + 1 == sources.size();
  if (!sources.empty() && !isUsed) sources.pop_back();
  if (sources.empty() || sources.back() != source) sources.push_back(std::move(source));
  return {};
}

// What a name and a colon may stand before.
Status PtxReader::readLabelled(std::string label) {
  TRY(const std::string unique, declare(label));
  if (in_.take(".callprototype")) {
    PtxPrototype prototype{.name = unique};
    if (in_.peek() == '(') TRY_STATUS(readParams(prototype.returns));
    in_.name();  // _
    if (in_.peek() == '(') TRY_STATUS(readParams(prototype.params));
    in_.until(";");
    function_->prototypes.push_back(std::move(prototype));
    return in_.expect(";");
  }
  const bool areBranches = in_.take(".branchtargets");
  if (areBranches || in_.take(".calltargets")) {
    PtxTargets targets{.name = unique, .areBranches = areBranches};
    do targets.targets.emplace_back(in_.name());
    while (in_.take(","));
    function_->targets.push_back(std::move(targets));
    return in_.expect(";");
  }
  function_->labels.push_back({unique, static_cast<uint32_t>(function_->instructions.size())});
  return {};
}

Status PtxReader::readInstruction() {
  PtxInstruction instruction;
  instruction.line = in_.line();
  instruction.column = in_.column();
  if (!function_->sources.empty()) instruction.source = static_cast<uint32_t>(function_->sources.size() - 1);
  if (in_.take("@")) {
    instruction.guardNegated = in_.take("!");
    const std::string name(in_.name());
    instruction.guard = findRegister(name);
    if (instruction.guard == PtxInstruction::kNone)
      return in_.wrong("unknown-register", fmt::format("no register {} is declared", name));
  }
  const std::string word(in_.name());
  if (word.empty()) return in_.unexpected("an instruction");
  if (in_.peek() == ':') {
    TRY_STATUS(in_.expect(":"));
    return readLabelled(word);
  }
  instruction.opcode = word + std::string(in_.peek() == '.' ? in_.dotted() : "");
  instruction.op = ptxOpOf(instruction.opcode);
  std::string_view rest =
      std::string_view(instruction.opcode)
          .substr(instruction.op == PtxOp::Unknown ? word.size() : ptxOpName(instruction.op).size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const size_t end = std::min(rest.find('.'), rest.size());
    instruction.modifiers.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }

  while (in_.peek() != ';') {
    if (!instruction.operands.empty() && !in_.take(",")) return in_.unexpected("',' or ';'");
    TRY(PtxOperand operand, readOperand(0));
    instruction.operands.push_back(std::move(operand));
  }
  TRY_STATUS(in_.expect(";"));
  scopes_.back().uses.push_back(static_cast<uint32_t>(function_->instructions.size()));
  function_->instructions.push_back(std::move(instruction));
  return {};
}

namespace {

// Renames what the scope declared; whether all names are found.
bool rename(PtxOperand& operand, const absl::flat_hash_map<std::string, std::string>& names) {
  bool found = true;
  if (operand.kind == PtxOperand::Kind::Name && operand.index == 0) {
    const auto at = names.find(operand.name);
    found = at != names.end();
    if (found) {
      operand.name = at->second;
      operand.index = 1;
    }
  }
  for (PtxOperand& part : operand.parts) found = rename(part, names) && found;
  return found;
}

const PtxOperand* unfound(const PtxOperand& operand) {
  if (operand.kind == PtxOperand::Kind::Name && operand.index == 0) return &operand;
  for (const PtxOperand& part : operand.parts) {
    if (const PtxOperand* found = unfound(part)) return found;
  }
  return nullptr;
}

}  // namespace

Status PtxReader::closeScope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const uint32_t use : scope.uses) {
    PtxInstruction& instruction = function_->instructions[use];
    bool found = true;
    for (PtxOperand& operand : instruction.operands) found = rename(operand, scope.names) && found;
    if (found) continue;
    if (!scopes_.empty()) {
      scopes_.back().uses.push_back(use);
      continue;
    }
    for (const PtxOperand& operand : instruction.operands) {
      const PtxOperand* name = unfound(operand);
      if (name == nullptr || module_.variable(name->name) != nullptr ||
          module_.function(name->name) != nullptr)
        continue;
      Place place = in_.place();
      place.line = instruction.line, place.column = instruction.column;
      return fail("unknown-name", fmt::format("nothing is called {}", name->name), place);
    }
  }
  for (PtxTargets& targets : function_->targets) {
    for (std::string& target : targets.targets) {
      if (const auto at = scope.names.find(target); at != scope.names.end()) target = at->second;
    }
  }
  return {};
}

// A branch goes to a label of its function.
Status PtxReader::findTargets() {
  absl::flat_hash_map<std::string_view, uint32_t> labels;
  for (const PtxLabel& label : function_->labels) labels.emplace(label.name, label.at);
  for (const PtxInstruction& instruction : function_->instructions) {
    if (instruction.op != PtxOp::Bra) continue;
    const bool isLabel = instruction.operands.size() == 1 &&
                         instruction.operands[0].kind == PtxOperand::Kind::Name &&
                         labels.contains(instruction.operands[0].name);
    if (isLabel) continue;
    Place place = in_.place();
    place.line = instruction.line, place.column = instruction.column;
    return fail("unknown-name", "a branch goes to no label of its function", place);
  }
  return {};
}

}  // namespace hilo
