#include "core/hlo/ir/module.h"

#include <algorithm>
#include <deque>

#include "core/base/check.h"

namespace hilo {

struct Module::Storage {
  Arena arena;
  std::deque<Literal> literals;
  std::shared_ptr<const std::string> sourceText;  // keeps alive what names point into
};

Module::Module(std::string_view name) : storage_(std::make_shared<Storage>()) { setName(name); }
Module::~Module() = default;

Arena& Module::arena() { return storage_->arena; }

void Module::setName(std::string_view name) { name_ = arena().copy(name); }

void Module::setSourceText(std::shared_ptr<const std::string> text) {
  storage_->sourceText = text;
  sourceText_ = std::move(text);
}

std::string_view Module::keep(std::string_view text) {
  const bool inSource = sourceText_ != nullptr && text.data() >= sourceText_->data() &&
                        text.data() + text.size() <= sourceText_->data() + sourceText_->size();
  return inSource ? text : arena().copy(text);
}

const Literal* Module::own(Literal literal) { return &storage_->literals.emplace_back(std::move(literal)); }

Computation* Module::createComputation(std::string_view name, Computation* before) {
  auto* computation = new (arena().allocate(sizeof(Computation), alignof(Computation))) Computation();
  computation->module_ = this;
  computation->name_ = keep(name);
  computation->id_ = ComputationId{static_cast<uint32_t>(computationsById_.size())};
  computationsById_.push_back(computation);
  auto position = computations_.end();
  if (before != nullptr) {
    // Most are made for the entry, which stands last.
    const auto found = std::find(computations_.rbegin(), computations_.rend(), before);
    if (found != computations_.rend()) position = found.base() - 1;
  }
  computations_.insert(position, computation);
  return computation;
}

void Module::removeComputation(Computation* computation) {
  CHECK(computation != entry_);
  for (Instruction* instruction : computation->instructions())
    instructions_[instruction->id().value] = nullptr;
  const auto found = std::ranges::find(computations_, computation);
  if (found != computations_.end()) computations_.erase(found);
  computationsById_[computation->id().value] = nullptr;
}

Computation* Module::findComputation(std::string_view name) const {
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto found = std::ranges::find(computations_, name, &Computation::name);
  return found == computations_.end() ? nullptr : *found;
}

Computation* Module::computation(ComputationId id) const {
  return id.value < computationsById_.size() ? computationsById_[id.value] : nullptr;
}

Instruction* Module::findInstruction(std::string_view name) const {
  if (name.starts_with('%')) name.remove_prefix(1);
  for (Computation* computation : computations_) {
    if (Instruction* found = computation->find(name)) return found;
  }
  return nullptr;
}

size_t Module::instructionCount() const {
  size_t count = 0;
  for (Computation* computation : computations_) count += computation->instructionCount();
  return count;
}

InstructionId Module::registerInstruction(Instruction* instruction) {
  const InstructionId id{static_cast<uint32_t>(instructions_.size())};
  instructions_.push_back(instruction);
  if (recording_) provenance_[id].pass = static_cast<uint32_t>(passNames_.size() - 1);
  return id;
}

std::string_view Module::uniqueName(std::string_view base) {
  if (!usedNames_) {
    usedNames_ = std::make_unique<absl::flat_hash_map<std::string, uint32_t>>();
    for (Computation* computation : computations_) {
      usedNames_->emplace(std::string(computation->name()), 0);
      for (Instruction* instruction : computation->instructions())
        usedNames_->emplace(std::string(instruction->name()), 0);
    }
  }
  const auto [entry, isNew] = usedNames_->emplace(std::string(base), 0);
  if (isNew) return arena().copy(base);
  for (uint32_t number = entry->second + 1;; ++number) {
    std::string candidate = fmt::format("{}.{}", base, number);
    if (usedNames_->contains(candidate)) continue;
    usedNames_->find(std::string(base))->second = number;
    usedNames_->emplace(candidate, 0);
    return arena().copy(candidate);
  }
}

void Module::beginPass(std::string_view passName) {
  passNames_.emplace_back(passName);
  recording_ = true;
}

const Provenance* Module::provenance(InstructionId id) const {
  const auto found = provenance_.find(id);
  return found == provenance_.end() ? nullptr : &found->second;
}

void Module::recordProvenance(InstructionId made, InstructionId from) {
  if (!recording_) return;
  const auto found = provenance_.find(made);
  // An instruction that was there before the pass keeps its own history.
  if (found == provenance_.end() || found->second.pass + 1 != passNames_.size()) return;
  if (std::ranges::find(found->second.from, from) == found->second.from.end())
    found->second.from.push_back(from);
}

namespace {

// Rewrites the pointers an attribute holds to computations and instructions of the old module.
void remap(Arena& arena, Attribute& a, const Module& copy) {
  const auto remapList = [&]<typename T>(std::span<T* const> list, auto&& lookUp) {
    auto room = arena.allocateArray<T*>(list.size());
    std::ranges::transform(list, room.begin(), lookUp);
    a.pointer = room.data();
  };
  const auto computation = [&](const Computation* old) { return copy.computation(old->id()); };
  const auto instruction = [&](const Instruction* old) { return copy.instruction(old->id()); };
  switch (attrKind(a.key)) {
    case AttrKind::Computation:
      if (a.pointer != nullptr) a.pointer = computation(static_cast<const Computation*>(a.pointer));
      break;
    case AttrKind::ComputationList:
      remapList(attr_detail::unpack<std::span<Computation* const>>(a), computation);
      break;
    case AttrKind::InstructionList:
      remapList(attr_detail::unpack<std::span<Instruction* const>>(a), instruction);
      break;
    default:
      break;
  }
}

void copyAttributes(Arena& arena, const AttributeList& from, AttributeList& to) {
  to.reserve(arena, static_cast<uint32_t>(from.all().size()));
  for (const Attribute& a : from.all()) to.append(arena, a);
}

}  // namespace

std::unique_ptr<Module> Module::clone() const {
  auto copy = std::make_unique<Module>("");
  copy->name_ = name_;
  copy->inherited_ = inherited_;
  copy->inherited_.push_back(storage_);
  copy->sourceText_ = sourceText_;
  copy->stackFrames_ = stackFrames_;
  copy->textStyle_ = textStyle_;
  copy->passNames_ = passNames_;
  copy->provenance_ = provenance_;
  copy->instructions_.assign(instructions_.size(), nullptr);
  copy->computationsById_.assign(computationsById_.size(), nullptr);
  Arena& arena = copy->arena();

  for (const Computation* old : computations_) {
    auto* computation = new (arena.allocate(sizeof(Computation), alignof(Computation))) Computation();
    computation->module_ = copy.get();
    computation->name_ = old->name_;
    computation->id_ = old->id_;
    computation->sourceOffset_ = old->sourceOffset_;
    copyAttributes(arena, old->attributes_, computation->attributes_);
    copy->computations_.push_back(computation);
    copy->computationsById_[old->id_.value] = computation;
    for (const Instruction* from : old->instructions()) {
      auto* instruction = new (arena.allocate(sizeof(Instruction), alignof(Instruction))) Instruction();
      instruction->opcode_ = from->opcode_;
      instruction->id_ = from->id_;
      instruction->shape_ = from->shape_;
      instruction->name_ = from->name_;
      instruction->parent_ = computation;
      instruction->sourceOffset_ = from->sourceOffset_;
      copyAttributes(arena, from->attributes_, instruction->attributes_);
      copy->instructions_[from->id_.value] = instruction;
      computation->link(instruction, nullptr);
    }
  }
  const auto mapped = [&](const Instruction* old) { return old ? copy->instruction(old->id_) : nullptr; };
  const auto mapList = [&](const ArenaList<Instruction*>& from, ArenaList<Instruction*>& to) {
    to.reserve(arena, from.count);
    for (const Instruction* old : from.span()) to.push(arena, mapped(old));
  };
  for (const Computation* old : computations_) {
    Computation* computation = copy->computationsById_[old->id_.value];
    computation->root_ = mapped(old->root_);
    mapList(old->parameters_, computation->parameters_);
    for (const Instruction* from : old->instructions()) {
      Instruction* instruction = copy->instructions_[from->id_.value];
      mapList(from->operands_, instruction->operands_);
      mapList(from->users_, instruction->users_);
      instruction->wasControlPredecessor_ = from->wasControlPredecessor_;
      for (Attribute& a : instruction->attributes_.mutableAll()) remap(arena, a, *copy);
    }
  }
  copyAttributes(arena, attributes_, copy->attributes_);
  if (entry_ != nullptr) copy->entry_ = copy->computation(entry_->id());
  return copy;
}

}  // namespace hilo
