// Sends and receives between devices. A send does not wait; a receive does, so that a loop may receive before
// it sends, as pipelined loops do.
#include <fmt/format.h>

#include <cstring>

#include "core/runtime/thunk/collective_group.h"
#include "core/runtime/thunk/host/thunk.h"

namespace hilo {
Status execute(const SendThunk& thunk, const ThunkContext& context) {
  TRY(const auto routes, routesOf(context.program.collectives[thunk.collective], context.link, true));
  for (const Communicator::Route& route : routes) {
    std::vector<Bytes> values;
    int64_t bytes = 0;
    for (const ReadSlice& slice : thunk.operands) {
      values.emplace_back(context.at(slice), context.at(slice) + slice.sizeBytes);
      bytes += slice.sizeBytes;
    }
    TRY_STATUS(context.link.communicator.send(route, std::move(values), bytes));
  }
  return {};
}

Status execute(const ReceiveThunk& thunk, const ThunkContext& context) {
  DeviceLink& link = context.link;
  TRY(const auto routes, routesOf(context.program.collectives[thunk.collective], link, false));
  for (const WriteSlice& slice : thunk.results)
    std::memset(context.at(slice), 0, static_cast<size_t>(slice.sizeBytes));
  for (const Communicator::Route& route : routes) {
    TRY(const auto values,
        link.communicator.receive(link.device, route,
                                  {.text = fmt::format("{} (recv-done)", context.thunk->name)}));
    if (!std::ranges::equal(values, thunk.results, {}, &Bytes::size,
                            [](const WriteSlice& slice) { return static_cast<size_t>(slice.sizeBytes); }))
      return fail("malformed-instruction",
                  fmt::format("{}: what was sent has another shape", context.thunk->name));
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].empty()) std::memcpy(context.at(thunk.results[i]), values[i].data(), values[i].size());
    }
  }
  return {};
}

}  // namespace hilo
