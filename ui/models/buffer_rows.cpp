#include "ui/models/buffer_rows.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr size_t kSharersShown = 50;
constexpr size_t kAllocationsShown = 12;

RowLink linkToFile(const std::string& path, const QString& word) {
  RowLink link;
  link.kind = path.empty() ? RowLink::Kind::kNone : RowLink::Kind::kFile;
  link.sourceFile = qs(path);
  link.word = word;
  return link;
}

QString liveText(const ValueSlice& slice) {
  return slice.liveStart < 0 ? QString() : QString("%1 to %2").arg(slice.liveStart).arg(slice.liveEnd);
}

QString allocationWord(const AllocationFacts& allocation) {
  return QString("allocation %1:").arg(allocation.index);
}

QString allocationText(const AllocationFacts& allocation) {
  QString text = QString("%1, %2").arg(allocation.index).arg(bytesText(allocation.sizeBytes));
  if (!allocation.kind.empty()) text += ", " + qs(allocation.kind);
  return text;
}

void addSharers(InspectorRow& row, const ModuleBuffers& buffers, const Module& module, size_t slice) {
  const std::vector<size_t> others = buffers.sharing(slice);
  InspectorRow& list = row.add({"aliases / reuses buffer with", countOf(others.size(), "value")});
  for (size_t n = 0; n < std::min(others.size(), kSharersShown); ++n) {
    const ValueSlice& other = buffers.slices[others[n]];
    const Instruction* i = module.instruction(other.instruction);
    if (i == nullptr) continue;
    QString value = QString("%1 at %2").arg(bytesText(other.sizeBytes), countText(other.offsetBytes));
    if (other.liveStart >= 0) value += ", live " + liveText(other);
    list.add(
        {qs(i->name()) + (other.shapeIndex == "{}" ? QString() : qs(other.shapeIndex)), value, linkTo(*i)});
  }
  if (others.size() > kSharersShown) list.add({"...", QString("%1 more").arg(others.size() - kSharersShown)});
}

InspectorRow sliceRow(const ModuleBuffers& buffers, const Module& module, size_t n) {
  const ValueSlice& slice = buffers.slices[n];
  const AllocationFacts& allocation = buffers.allocations[slice.allocation];
  InspectorRow row{slice.shapeIndex == "{}" ? QString("value") : "value " + qs(slice.shapeIndex),
                   QString("%1 in allocation %2").arg(bytesText(slice.sizeBytes)).arg(allocation.index)};
  row.add(
      {"allocation", allocationText(allocation), linkToFile(buffers.bufferPath, allocationWord(allocation))});
  row.add({"offset", countText(slice.offsetBytes)});
  row.add({"size", QString("%1 (%2)").arg(bytesText(slice.sizeBytes), countText(slice.sizeBytes))});
  row.add({"memory space", QString::number(allocation.color)});
  if (slice.liveStart >= 0) row.add({"live range (schedule)", liveText(slice)});
  addSharers(row, buffers, module, n);
  return row;
}

}  // namespace

std::vector<InspectorRow> bufferRows(const ModuleBuffers& buffers, const Instruction& instruction) {
  std::vector<InspectorRow> rows;
  if (const auto& slices = buffers.slicesOfInstruction(instruction.id()); !slices.empty()) {
    InspectorRow section{"buffers", countOf(slices.size(), "value"), {}, {}, true};
    for (const size_t n : slices) section.add(sliceRow(buffers, instruction.module(), n));
    // Most instructions have one value: no level for it.
    if (slices.size() == 1) {
      section.value = section.children[0].value;
      section.children = std::vector<InspectorRow>(std::move(section.children[0].children));
    }
    rows.push_back(std::move(section));
  }
  if (const auto& thunks = buffers.thunksOfInstruction(instruction.id()); !thunks.empty()) {
    InspectorRow section{"thunks", countOf(thunks.size(), "thunk"), {}, {}, true};
    for (const size_t n : thunks) {
      const ThunkFacts& thunk = buffers.thunks[n];
      InspectorRow& row = section.add({QString("thunk %1").arg(thunk.position), qs(thunk.kind),
                                       linkToFile(buffers.thunkPath, qs(thunk.kernel))});
      if (!thunk.kernel.empty()) row.add({"kernel", qs(thunk.kernel)});
      row.add({"launched", QString("%1 of %2").arg(thunk.position + 1).arg(buffers.thunks.size())});
      row.add({"as printed", qs(thunk.description).trimmed()});
    }
    rows.push_back(std::move(section));
  }
  return rows;
}

std::vector<InspectorRow> bufferRows(const ModuleBuffers& buffers, const Module& module) {
  if (buffers.allocations.empty()) return {};
  int64_t total = 0;
  std::vector<const AllocationFacts*> largest;
  for (const AllocationFacts& allocation : buffers.allocations) {
    total += allocation.sizeBytes;
    largest.push_back(&allocation);
  }
  std::ranges::sort(largest, {}, [](const AllocationFacts* a) { return std::pair(-a->sizeBytes, a->index); });
  InspectorRow section{"buffers",
                       QString("%1 in %2").arg(bytesText(total), countOf(largest.size(), "allocation")),
                       {},
                       {},
                       true};
  for (size_t n = 0; n < std::min(largest.size(), kAllocationsShown); ++n) {
    InspectorRow& row =
        section.add({QString("allocation %1").arg(largest[n]->index), bytesText(largest[n]->sizeBytes),
                     linkToFile(buffers.bufferPath, allocationWord(*largest[n]))});
    if (!largest[n]->kind.empty()) row.value += ", " + qs(largest[n]->kind);
    for (size_t k = 0; k < std::min(largest[n]->slices.size(), kSharersShown); ++k) {
      const ValueSlice& slice = buffers.slices[largest[n]->slices[k]];
      const Instruction* i = module.instruction(slice.instruction);
      if (i == nullptr) continue;
      row.add({qs(i->name()),
               QString("%1 at %2").arg(bytesText(slice.sizeBytes), countText(slice.offsetBytes)),
               linkTo(*i)});
    }
  }
  if (largest.size() > kAllocationsShown)
    section.add({"...", QString("%1 more").arg(largest.size() - kAllocationsShown)});
  return {section};
}

}  // namespace hilo
