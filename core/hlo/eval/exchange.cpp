#include "core/hlo/eval/exchange.h"

#include <fmt/format.h>

#include <cstring>

#include "core/hlo/eval/eval_context.h"

namespace hilo {

template class Rendezvous<Literal>;

namespace {

// The same values in bytes of their own.
Literal detached(const Literal& literal) {
  if (literal.isTuple()) {
    std::vector<Literal> elements;
    for (const Literal& element : literal.elements()) elements.push_back(detached(element));
    return Literal::tuple(std::move(elements));
  }
  Literal copy(literal.shape());
  if (const auto from = literal.bytes(); !from.empty())
    std::memcpy(copy.mutableBytes().data(), from.data(), from.size());
  copy.setDynamicSizes({literal.dynamicSizes().begin(), literal.dynamicSizes().end()});
  return copy;
}

int64_t bytesOf(const Literal& literal) {
  auto bytes = static_cast<int64_t>(literal.bytes().size());
  for (const Literal& element : literal.elements()) bytes += bytesOf(element);
  return bytes;
}

WaitPlace waitPlaceOf(const Instruction& instruction) {
  return {.text = fmt::format("{} ({})", instruction.name(), instruction.opcodeText()),
          .place = placeOf(instruction)};
}

}  // namespace

DeviceExchange::DeviceExchange(DeviceGrid grid, CancelToken cancel, int64_t unreceivedLimitBytes)
    : Rendezvous(grid, {.cancel = std::move(cancel),
                        .unreceivedLimitBytes = unreceivedLimitBytes,
                        .limitKind = "memory-limit",
                        .cancelled = "evaluation was cancelled"}) {}

Result<std::shared_ptr<const Contributions>> DeviceExchange::exchange(int64_t device,
                                                                      const Instruction& instruction,
                                                                      std::span<const int64_t> group,
                                                                      std::span<const Literal> mine) {
  std::vector<Literal> copies;
  for (const Literal& literal : mine) copies.push_back(detached(literal));
  TRY(const auto gathered, bring(device,
                                 {.kind = static_cast<int>(instruction.opcode()),
                                  .channel = instruction.get<Attr::ChannelId>().value_or(0),
                                  .group = {group.begin(), group.end()}},
                                 std::move(copies)));
  TRY_STATUS(await(device, *gathered, waitPlaceOf(instruction)));
  return std::shared_ptr<const Contributions>(gathered, &gathered->contributions);
}

Status DeviceExchange::sendCopy(const Instruction& instruction, Route route, const Literal& value) {
  return send(route, {detached(value)}, bytesOf(value), placeOf(instruction));
}

Result<Literal> DeviceExchange::receiveNext(int64_t device, const Instruction& instruction, Route route) {
  TRY(std::vector<Literal> values, receive(device, route, waitPlaceOf(instruction)));
  return std::move(values[0]);
}

}  // namespace hilo
