// What is shown of the row or the instruction that is selected.
#include "core/analysis/partition_groups.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/views/partition/mesh_diagram.h"
#include "ui/views/partition/partition_view.h"

namespace hilo {
namespace {

std::string endText(const char* role, const MoveEnd& end) {
  if (end.name.empty()) return "";
  return fmt::format("{} %{} {}: {}, {}{}", role, end.name, end.opcode,
                     end.sharding.empty() ? "no sharding" : end.sharding, end.rule,
                     end.source.empty() ? "" : " · " + end.source.substr(end.source.rfind('/') + 1));
}

// How both ends of a move came to their shardings.
std::vector<std::pair<std::string, std::vector<ShardingStep>>> historiesOf(const Partitioning& partitioning,
                                                                           const MoveCause& cause) {
  std::vector<std::pair<std::string, std::vector<ShardingStep>>> histories;
  for (const MoveEnd* end : {&cause.producer, &cause.consumer}) {
    if (end->name.empty() || (!histories.empty() && histories[0].first == end->name)) continue;
    if (auto steps = shardingHistory(partitioning, end->name))
      histories.emplace_back(end->name, *std::move(steps));
  }
  return histories;
}

}  // namespace

const PartitionCollective* PartitionView::collectiveOf(const std::string& name) const {
  if (shown_ == nullptr) return nullptr;
  const auto found = std::ranges::find(shown_->collectives, name, &PartitionCollective::name);
  return found == shown_->collectives.end() ? nullptr : &*found;
}

void PartitionView::showRow(const PartitionCollective& row) {
  const Instruction* instruction = shown_->local->instruction(row.instruction);
  if (instruction != nullptr) {
    auto mesh = groupsOnMesh(shown_->mesh, partitionGroups(*instruction), row.axes);
    diagram_->setDiagrams(mesh ? std::vector{*std::move(mesh)} : std::vector<Diagram>());
  }
  CausePanel::Shown shown{.title = fmt::format("{} {}", row.name, row.shape)};
  shown.text = row.cause ? row.cause->text : "It was in the module before it was partitioned.";
  shown.facts.push_back(
      toStd(QString("%1 a device, %2, along %3; %4, exposed %5")
                .arg(bytesText(row.bytes), row.times == 1 ? QString("once") : countText(row.times) + " times",
                     alongText(row), durationText(row.ns), durationText(row.exposedNs))));
  if (row.cause) {
    if (row.cause->producer.name != row.cause->consumer.name)
      shown.facts.push_back(endText("value:", row.cause->producer));
    shown.facts.push_back(endText("needed by:", row.cause->consumer));
    shown.histories = historiesOf(*shown_, *row.cause);
  }
  std::erase(shown.facts, "");
  shown.advice = adviceFor(*shown_, row);
  panel_->show(std::move(shown));
  select(row.name, row.cause ? row.cause->consumer.instruction : InstructionId());
}

void PartitionView::showRow(const AlikeCollectives& row) {
  if (const PartitionCollective* one = collectiveOf(row.name)) showRow(*one);
}

void PartitionView::showRow(const Reshard& row) {
  if (!row.collectives.empty()) showRow(shown_->collectives[row.collectives[0]]);
}

void PartitionView::showRow(const PartitionProblem& row) {
  if (row.replication != nullptr) {
    showInstruction(row.name, adviceFor(*shown_, *row.replication), row.text);
  } else if (row.full != nullptr) {
    showInstruction(row.name, {}, row.text);
  }
}

void PartitionView::showRow(const ShardedArray& row) {
  showInstruction(
      row.name, {},
      fmt::format("{} {}", row.shape, row.axes.empty() ? "whole on each device" : "cut in " + row.axes));
}

// An instruction where shardings spread: its parts on the mesh, and how it came to them.
void PartitionView::showInstruction(const std::string& name, std::vector<ShardingAdvice> advice,
                                    std::string text) {
  const Instruction* instruction =
      shown_->spread == nullptr ? nullptr : shown_->spread->findInstruction(name);
  if (instruction == nullptr) return;
  const Sharding* sharding = instruction->get<Attr::Sharding>();
  std::vector<Diagram> diagrams;
  const auto add = [&](std::optional<Diagram> diagram) {
    if (diagram) diagrams.push_back(*std::move(diagram));
  };
  if (instruction->shape().isArray()) add(partsOnMesh(shown_->mesh, sharding, instruction->shape()));
  if (sharding != nullptr) add(shardingDiagram(*sharding, instruction->shape()));
  diagram_->setDiagrams(std::move(diagrams));
  CausePanel::Shown shown{.title = name, .text = std::move(text), .advice = std::move(advice)};
  if (auto steps = shardingHistory(*shown_, name)) shown.histories.emplace_back(name, *std::move(steps));
  panel_->show(std::move(shown));
  select(name, instruction->id());
}

// Selects what is called so, in the program of one device where that is current, else where the module is
// that shardings spread over.
void PartitionView::select(const std::string& name, InstructionId inSpread) {
  const Snapshot* current = context_.session.current();
  if (current == nullptr) return;
  const Instruction* instruction = current->module->findInstruction(name);
  if (instruction == nullptr && inSpread.valid()) instruction = current->module->instruction(inSpread);
  if (instruction == nullptr) return;
  telling_ = true;
  context_.bus.select(selectionOf(*current, *instruction));
  telling_ = false;
}

void PartitionView::follow(const Selection& selection) {
  if (telling_ || shown_ == nullptr || !isVisible()) return;
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  const Instruction* instruction =
      snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, selection);
  if (instruction == nullptr) return;
  const std::string name(instruction->name());
  telling_ = true;
  if (const PartitionCollective* row = snapshot->module == shown_->local ? collectiveOf(name) : nullptr) {
    showRow(*row);
  } else {
    showInstruction(name, {}, toString(instruction->shape().withoutLayout()));
  }
  telling_ = false;
}

}  // namespace hilo
