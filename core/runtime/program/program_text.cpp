#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/runtime/program/allocation_name.h"
#include "core/runtime/program/fields.h"
#include "core/runtime/program/program.h"
#include "core/runtime/program/text_fields.h"

namespace hilo {
namespace {

struct JsonFields {
  nlohmann::json out = nlohmann::json::object();

  template <typename T>
  void operator()(const char* name, const T& value) {
    out[name] = toValue(value);
  }
  static nlohmann::json toValue(const BufferSlice& slice) {
    return {{"allocation", slice.allocation}, {"offset", slice.offsetBytes}, {"size", slice.sizeBytes}};
  }
  static nlohmann::json toValue(const WriteSlice& slice) {
    nlohmann::json value = toValue(static_cast<const BufferSlice&>(slice));
    value["writes"] = true;
    return value;
  }
  static nlohmann::json toValue(const ReadSlice& slice) {
    return toValue(static_cast<const BufferSlice&>(slice));
  }
  template <ProgramTable kTable>
  static nlohmann::json toValue(TablePlace<kTable> place) {
    return place.number;
  }
  static nlohmann::json toValue(ElementType type) { return elementTypeName(type); }
  static nlohmann::json toValue(CollectivePhase phase) { return collectivePhaseName(phase); }
  static nlohmann::json toValue(CollectiveKind kind) { return collectiveKindName(kind); }
  static nlohmann::json toValue(ReductionKind kind) { return reductionKindName(kind); }
  static nlohmann::json toValue(DeviceGroupMode mode) { return deviceGroupModeName(mode); }
  static nlohmann::json toValue(ConvolutionKind kind) { return enumText(kind); }
  static nlohmann::json toValue(FftType kind) { return enumText(kind); }
  static nlohmann::json toValue(TransposeA transpose) { return enumText(transpose); }
  static nlohmann::json toValue(Activation activation) { return activationName(activation); }
  static nlohmann::json toValue(const LibraryCall& call) {
    nlohmann::json value = std::visit([](const auto& one) { return toValue(one); }, call);
    value["library"] = libraryOf(call.index());
    value["kind"] = libraryCallName(call.index());
    return value;
  }
  static nlohmann::json toValue(Shape shape) { return toString(shape); }
  static nlohmann::json toValue(const std::string& text) { return text; }
  template <FieldsOf<JsonFields> T>
  static nlohmann::json toValue(const T& value) {
    JsonFields fields;
    T::visit(value, fields);
    return std::move(fields.out);
  }
  template <NumberField T>
  static nlohmann::json toValue(T value) {
    return value;
  }
  template <typename T>
  static nlohmann::json toValue(const std::vector<T>& items) {
    nlohmann::json list = nlohmann::json::array();
    for (const T& item : items) list.push_back(toValue(item));
    return list;
  }
};

template <typename Fields>
Fields fieldsOf(const Thunk& thunk) {
  Fields fields;
  visitFields(thunk, fields);
  return fields;
}

void appendSequence(std::string& out, const Program& program, uint32_t number, int depth) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  for (const Thunk& thunk : program.sequences[number]) {
    out += fmt::format("{}{} {} {}\n", indent, thunk.name, thunkKindName(thunk.kind()),
                       fieldsOf<TextFields>(thunk).out);
    for (const uint32_t nested : nestedSequences(thunk)) {
      out += fmt::format("{}  sequence {}:\n", indent, nested);
      appendSequence(out, program, nested, depth + 2);
    }
  }
}

// "a thread an iteration in blocks of 256", "grid 8x1x1 of blocks of 128x1x1, 4096 bytes of shared memory"
std::string launchText(const GridLaunch& launch) {
  if (launch.gridX == 0) return fmt::format("a thread an iteration, in blocks of {}", launch.blockX);
  std::string text = fmt::format("grid {}x{}x{} of blocks of {}x{}x{}", launch.gridX, launch.gridY,
                                 launch.gridZ, launch.blockX, launch.blockY, launch.blockZ);
  if (launch.clusterX * launch.clusterY * launch.clusterZ > 1)
    text += fmt::format(", clusters of {}x{}x{}", launch.clusterX, launch.clusterY, launch.clusterZ);
  if (launch.sharedBytes > 0) text += fmt::format(", {} bytes of shared memory", launch.sharedBytes);
  return text;
}

nlohmann::json sequenceJson(const ThunkSequence& sequence) {
  nlohmann::json list = nlohmann::json::array();
  for (const Thunk& thunk : sequence) {
    list.push_back({{"name", thunk.name},
                    {"instruction", thunk.instruction},
                    {"kind", thunkKindName(thunk.kind())},
                    {"cost_ns", thunk.costNs},
                    {"fields", fieldsOf<JsonFields>(thunk).out}});
  }
  return list;
}

}  // namespace

std::string toText(const Program& program) {
  std::string out = fmt::format("program {} for {} {}\nthunks:\n", program.name, program.target.triple,
                                program.target.processor);
  appendSequence(out, program, 0, 1);
  out += "allocations:\n";
  for (size_t i = 0; i < program.allocations.size(); ++i) {
    const Allocation& a = program.allocations[i];
    out += fmt::format("  {}: {} bytes, {}", i, a.sizeBytes, allocationName(a));
    const bool isNumbered = a.kind == AllocationKind::Parameter || a.kind == AllocationKind::Constant;
    out += isNumbered ? fmt::format(" {}\n", a.number) : "\n";
  }
  out += "results:\n";
  for (const ReadSlice& slice : program.resultSlices) out += fmt::format("  {}\n", sliceText(slice));
  for (const ResultSize& size : program.resultSizes)
    out += fmt::format("  dimension {} of {}: {}\n", size.dimension, size.leaf, sliceText(size.size));
  out += "kernels:\n";
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    out += fmt::format("  {}: {}, {} in object {} of {} bytes", i, kernel.name, kernel.symbol, kernel.object,
                       program.objects[kernel.object].code.size());
    out += kernel.launch.isSet() ? fmt::format(", {}\n", launchText(kernel.launch)) : "\n";
  }
  if (!program.collectives.empty()) {
    out +=
        fmt::format("collectives, for {} replicas of {} partitions:\n", program.replicas, program.partitions);
  }
  for (size_t i = 0; i < program.collectives.size(); ++i) {
    TextFields fields;
    Collective::visit(program.collectives[i], fields);
    out += fmt::format("  {}: {}\n", i, fields.out);
  }
  return out;
}

std::string toJson(const Program& program) {
  nlohmann::json out = {{"name", program.name},
                        {"module_hash", fmt::format("{:016x}", program.moduleHash)},
                        {"target",
                         {{"triple", program.target.triple},
                          {"processor", program.target.processor},
                          {"features", program.target.features}}},
                        {"result", toString(program.result)},
                        {"gives_outfeed", program.givesOutfeed}};
  for (const Shape parameter : program.parameters) out["parameters"].push_back(toString(parameter));
  for (const ThunkSequence& sequence : program.sequences) out["sequences"].push_back(sequenceJson(sequence));
  for (const Allocation& a : program.allocations) {
    out["allocations"].push_back({{"kind", allocationKindName(a.kind)},
                                  {"size", a.sizeBytes},
                                  {"number", a.number},
                                  {"memory_space", a.memorySpace}});
  }
  for (const ReadSlice& slice : program.resultSlices) out["results"].push_back(JsonFields::toValue(slice));
  for (const ResultSize& size : program.resultSizes) {
    out["result_sizes"].push_back(
        {{"leaf", size.leaf}, {"dimension", size.dimension}, {"size", JsonFields::toValue(size.size)}});
  }
  for (const Kernel& kernel : program.kernels) {
    nlohmann::json json = {{"name", kernel.name}, {"symbol", kernel.symbol}, {"object", kernel.object}};
    if (kernel.launch.isSet()) json["launch"] = JsonFields::toValue(kernel.launch);
    out["kernels"].push_back(std::move(json));
  }
  out["replicas"] = program.replicas;
  out["partitions"] = program.partitions;
  for (const Collective& collective : program.collectives) {
    JsonFields fields;
    Collective::visit(collective, fields);
    out["collectives"].push_back(std::move(fields.out));
  }
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hilo
