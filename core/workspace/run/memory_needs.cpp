#include "core/workspace/run/memory_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/amount_text.h"
#include "core/runtime/program/program.h"

namespace hilo {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

int64_t sum(int64_t a, int64_t b) { return a > kMost - b ? kMost : a + b; }
int64_t times(int64_t a, int64_t count) { return count > 0 && a > kMost / count ? kMost : a * count; }

int64_t bytesOf(Shape shape) {
  int64_t bytes = 0;
  for (const Shape leaf : arrayLeaves(shape)) bytes = sum(bytes, bufferBytes(leaf));
  return bytes;
}

std::vector<std::pair<std::string, int64_t>> largestOf(const Module& module) {
  constexpr size_t kShown = 3;
  std::vector<std::pair<std::string, int64_t>> values;
  for (const Instruction* instruction : module.entry()->instructions()) {
    if (instruction->shape().isArray())
      values.emplace_back(instruction->name(), bytesOf(instruction->shape()));
  }
  std::ranges::stable_sort(values, std::greater(), &std::pair<std::string, int64_t>::second);
  if (values.size() > kShown) values.resize(kShown);
  return values;
}

}  // namespace

int64_t MemoryNeeds::total() const { return sum(arguments, times(sum(results, temporaries), devices)); }

MemoryNeeds needsOf(const Program& program, const Module* module, int64_t lists, int64_t devices) {
  MemoryNeeds needs{.devices = devices, .results = bytesOf(program.result)};
  for (const Shape parameter : program.parameters) needs.arguments = sum(needs.arguments, bytesOf(parameter));
  needs.arguments = times(needs.arguments, lists);
  int64_t allocated = 0;
  for (const Allocation& allocation : program.allocations) {
    if (allocation.kind == AllocationKind::Temporary) allocated = sum(allocated, allocation.sizeBytes);
  }
  // Results are in allocations of their own, or in parameters and constants.
  needs.temporaries = std::max<int64_t>(0, allocated - needs.results);
  if (module != nullptr) needs.largest = largestOf(*module);
  return needs;
}

MemoryNeeds leastNeedsOf(const Module& module, int64_t lists, int64_t devices) {
  const Computation& entry = *module.entry();
  MemoryNeeds needs{
      .devices = devices, .results = bytesOf(entry.root()->shape()), .largest = largestOf(module)};
  for (const Instruction* parameter : entry.parameters())
    needs.arguments = sum(needs.arguments, bytesOf(parameter->shape()));
  needs.arguments = times(needs.arguments, lists);
  const auto isMade = [](const Instruction& i) {
    return i.shape().isArray() && i.opcode() != Opcode::Parameter && i.opcode() != Opcode::Constant;
  };
  int64_t most = 0;
  for (const Instruction* instruction : entry.instructions()) {
    int64_t at = isMade(*instruction) ? bytesOf(instruction->shape()) : 0;
    for (const Instruction* operand : instruction->operands()) {
      if (isMade(*operand)) at = sum(at, bytesOf(operand->shape()));
    }
    most = std::max(most, at);
  }
  needs.temporaries = std::max<int64_t>(0, most - needs.results);
  return needs;
}

Status checkNeeds(const MemoryNeeds& needs, int64_t mostBytes, std::string_view name) {
  if (needs.total() <= mostBytes) return {};
  std::vector<std::string> notes;
  if (needs.results > 0 || needs.temporaries > 0)
    notes.push_back(
        fmt::format("arguments take {}; each of {} takes {} for its results and {} for temporaries",
                    amount::bytes(needs.arguments), amount::countOf(needs.devices, "device"),
                    amount::bytes(needs.results), amount::bytes(needs.temporaries)));
  std::vector<std::string> values;
  for (const auto& [value, bytes] : needs.largest)
    values.push_back(fmt::format("{} ({})", value, amount::bytes(bytes)));
  if (!values.empty())
    notes.push_back(fmt::format("the largest values of a device: {}", fmt::join(values, ", ")));
  notes.emplace_back(
      "run it where there is more memory, or partition it for fewer devices; `hilo memory` says what is "
      "live at the peak");
  return fail("out-of-memory",
              fmt::format("{} takes at least {} of memory, and {} is free for it", name,
                          amount::bytes(needs.total()), amount::bytes(mostBytes)),
              {}, std::move(notes));
}

}  // namespace hilo
