// Custom calls: buffers and attributes as the C interface of plug-ins has them (plugins/sdk/custom_call.h),
// or as XLA's FFI has (core/runtime/ffi).
#include <fmt/format.h>

#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
namespace {

struct Receiver {
  const CancelToken& cancel;
  std::optional<Diagnostic> error;
};

void takeError(void* receiver, const char* kind, const char* message) {
  static_cast<Receiver*>(receiver)->error = Diagnostic{.kind = kind != nullptr ? kind : "custom-call-failed",
                                                       .message = message != nullptr ? message : ""};
}
int isCancelled(void* receiver) { return static_cast<Receiver*>(receiver)->cancel.cancelled() ? 1 : 0; }

HiloBuffer bufferOf(const CustomCallArray& array, const BufferSlice& slice, const std::string& type,
                    const ThunkContext& context) {
  return {.struct_size = sizeof(HiloBuffer),
          .element_type = type.c_str(),
          .dimensions = array.dimensions.data(),
          .minor_to_major = array.minorToMajor.data(),
          .rank = array.dimensions.size(),
          .data = context.at(slice),
          .size_bytes = static_cast<size_t>(slice.sizeBytes)};
}

HiloAttribute attributeOf(const CustomCallAttribute& attribute) {
  return {.struct_size = sizeof(HiloAttribute),
          .name = attribute.name.c_str(),
          .kind = static_cast<HiloAttributeKind>(attribute.kind),
          .text = attribute.text.c_str(),
          .integers = attribute.integers.data(),
          .floats = attribute.floats.data(),
          .count = attribute.integers.empty() ? attribute.floats.size() : attribute.integers.size()};
}

Status callPlugin(const HiloCustomCall& handler, const CustomCallThunk& thunk, const ThunkContext& context) {
  // Names of types that end in a zero byte.
  std::vector<std::string> types;
  for (const CustomCallArray& array : thunk.operandArrays) types.emplace_back(elementTypeName(array.type));
  for (const CustomCallArray& array : thunk.resultArrays) types.emplace_back(elementTypeName(array.type));
  std::vector<HiloBuffer> buffers;
  for (size_t i = 0; i < thunk.operands.size(); ++i)
    buffers.push_back(bufferOf(thunk.operandArrays[i], thunk.operands[i], types[i], context));
  for (size_t i = 0; i < thunk.results.size(); ++i)
    buffers.push_back(
        bufferOf(thunk.resultArrays[i], thunk.results[i], types[thunk.operands.size() + i], context));
  std::vector<HiloAttribute> attributes;
  for (const CustomCallAttribute& attribute : thunk.attributes) attributes.push_back(attributeOf(attribute));
  Receiver receiver{.cancel = context.cancel};
  const HiloCustomCallFrame frame{.struct_size = sizeof(HiloCustomCallFrame),
                                  .instruction = context.thunk->name.c_str(),
                                  .operands = buffers.data(),
                                  .operand_count = thunk.operands.size(),
                                  .results = buffers.data() + thunk.operands.size(),
                                  .result_count = thunk.results.size(),
                                  .attributes = attributes.data(),
                                  .attribute_count = attributes.size(),
                                  .backend_config = thunk.backendConfig.c_str(),
                                  .device = context.link.device,
                                  .receiver = &receiver,
                                  .on_error = takeError,
                                  .is_cancelled = isCancelled};
  const int code = handler.execute(&frame);
  if (context.cancel.cancelled()) return fail("cancelled", "the run was cancelled");
  if (code == 0) return {};
  if (!receiver.error) {
    return fail("custom-call-failed", fmt::format("the custom call \"{}\" of {} failed without saying why",
                                                  thunk.target, context.thunk->name));
  }
  receiver.error->message =
      fmt::format("custom call \"{}\" of {}: {}", thunk.target, context.thunk->name, receiver.error->message);
  return std::unexpected(*std::move(receiver.error));
}

FfiStart startOf(const CustomCallThunk& thunk, const ThunkContext& context) {
  std::vector<void*> buffers;
  for (const ReadSlice& slice : thunk.operands) buffers.push_back(context.at(slice));
  for (const WriteSlice& slice : thunk.results) buffers.push_back(context.at(slice));
  // All devices of a run have one communicator.
  const auto run = static_cast<int64_t>(reinterpret_cast<intptr_t>(&context.link.communicator));
  return {std::move(buffers), {.runId = run, .device = context.link.device, .cancel = context.cancel}};
}

}  // namespace

Status execute(const CustomCallThunk& thunk, const ThunkContext& context) {
  const BoundCall& bound = context.customCalls.at(&thunk);
  if (const auto* handler = std::get_if<const HiloCustomCall*>(&bound))
    return callPlugin(**handler, thunk, context);
  const FfiStart start = startOf(thunk, context);
  return std::get<std::shared_ptr<FfiCall>>(bound)->execute(context.link.ffi, start.buffers, start.place);
}

Status startCustomCalls(const ThunkContext& context) {
  return startFfiCalls(
      context.program, context.customCalls, context.link.ffi,
      [&](FfiCall&, const CustomCallThunk& thunk) { return std::optional(startOf(thunk, context)); });
}

}  // namespace hilo
