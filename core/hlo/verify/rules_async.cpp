// Rules on starts and dones, sends and receives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "core/hlo/verify/rules.h"
#include "core/hlo/verify/shape_compare.h"

namespace hilo {

namespace {

std::string names(std::initializer_list<Opcode> opcodes) {
  std::string text;
  for (Opcode opcode : opcodes) text += fmt::format("{}{}", text.empty() ? "" : " or ", opcodeName(opcode));
  return text;
}

// One consumer, of one of these opcodes; a custom call that only orders does not count.
void verifyConsumer(const Instruction& start, std::initializer_list<Opcode> expected,
                    VerifyContext& context) {
  const Instruction* consumer = nullptr;
  size_t count = 0;
  for (const Instruction* user : start.users()) {
    if (user->opcode() == Opcode::CustomCall && user->get<Attr::CustomCallTarget>() == "control_dep")
      continue;
    consumer = user;
    ++count;
  }
  if (count != 1) {
    context.report.error(VerifyKind::AsyncChain, start,
                         fmt::format("{} {} must have one consumer, {}, has {}", start.opcodeText(),
                                     start.name(), names(expected), count));
  } else if (std::ranges::find(expected, consumer->opcode()) == expected.end()) {
    context.report.error(
        VerifyKind::AsyncChain, start,
        fmt::format("{} {} must be consumed by {}, is by {} {}", start.opcodeText(), start.name(),
                    names(expected), consumer->opcodeText(), consumer->name()));
  }
}

void verifySource(const Instruction& done, std::initializer_list<Opcode> expected, VerifyContext& context) {
  if (done.operandCount() == 0) return;  // its shape rule says so
  const Instruction* source = done.operand(0);
  if (std::ranges::find(expected, source->opcode()) != expected.end()) return;
  context.report.error(VerifyKind::AsyncChain, done,
                       fmt::format("{} {} must take the result of {}, takes {} {}", done.opcodeText(),
                                   done.name(), names(expected), source->opcodeText(), source->name()));
}

// The computation that the start of a chain wraps; null when the chain does not lead to one.
const Computation* wrappedComputation(const Instruction& link) {
  const Instruction* at = &link;
  // A chain runs through operands 0, which come earlier in a sound module; the bound is for others.
  for (size_t steps = link.parent().instructionCount(); at->opcode() != Opcode::AsyncStart; --steps) {
    if (steps == 0 || at->operandCount() == 0) return nullptr;
    at = at->operand(0);
  }
  return at->get<Attr::Calls>();
}

// The end of a chain has all operands bound and the result of what the start wraps.
void verifyAsyncEnd(const Instruction& done, VerifyContext& context) {
  const Computation* wrapped = wrappedComputation(done);
  if (wrapped == nullptr || wrapped->root() == nullptr || done.operandCount() == 0) return;
  const auto state = done.operand(0)->shape().tupleShapes();
  if (!compatible(done.shape(), wrapped->root()->shape())) {
    context.report.error(VerifyKind::CalledSignature, done,
                         fmt::format("async-done {} gives {}, the computation it wraps {}", done.name(),
                                     toString(done.shape()), toString(wrapped->root()->shape())));
  }
  if (state.empty() || state[0].tupleShapes().size() == wrapped->parameters().size()) return;
  context.report.error(
      VerifyKind::AsyncChain, done,
      fmt::format("async-done {} ends a chain that binds {} operands, the computation it wraps takes {}",
                  done.name(), state[0].tupleShapes().size(), wrapped->parameters().size()));
}

// A send or receive that is all of a wrapped computation is completed by the async done around it.
bool isWrapped(const Instruction& instruction, const VerifyContext& context) {
  return instruction.isRoot() && context.isCalledBy(instruction.parent(), Opcode::AsyncStart);
}

}  // namespace

void verifyAsyncChain(const Instruction& instruction, VerifyContext& context) {
  using enum Opcode;
  switch (instruction.opcode()) {
    case AsyncStart:
      return verifyConsumer(instruction, {AsyncUpdate, AsyncDone}, context);
    case AsyncUpdate:
      verifySource(instruction, {AsyncStart, AsyncUpdate}, context);
      return verifyConsumer(instruction, {AsyncUpdate, AsyncDone}, context);
    case AsyncDone:
      verifyAsyncEnd(instruction, context);
      return verifySource(instruction, {AsyncStart, AsyncUpdate}, context);
    case AllReduceStart:
      return verifyConsumer(instruction, {AllReduceDone}, context);
    case AllReduceDone:
      return verifySource(instruction, {AllReduceStart}, context);
    case AllGatherStart:
      return verifyConsumer(instruction, {AllGatherDone}, context);
    case AllGatherDone:
      return verifySource(instruction, {AllGatherStart}, context);
    case CopyStart:
      return verifyConsumer(instruction, {CopyDone}, context);
    case CopyDone:
      return verifySource(instruction, {CopyStart}, context);
    case CollectivePermuteStart:
      return verifyConsumer(instruction, {CollectivePermuteDone}, context);
    case CollectivePermuteDone:
      return verifySource(instruction, {CollectivePermuteStart}, context);
    case Send:
      if (!isWrapped(instruction, context)) verifyConsumer(instruction, {SendDone, Tuple}, context);
      return;
    case SendDone:
      return verifySource(instruction, {Send, GetTupleElement}, context);
    case Recv:
      if (!isWrapped(instruction, context)) verifyConsumer(instruction, {RecvDone, Tuple}, context);
      return;
    case RecvDone:
      return verifySource(instruction, {Recv, GetTupleElement}, context);
    default:
      return;
  }
}

void verifyChannel(const Instruction& instruction, VerifyContext& context) {
  const auto channel = instruction.get<Attr::ChannelId>();
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::AllReduce) {
    if (!channel || *channel > 0) return;
    context.report.error(
        VerifyKind::ChannelMismatch, instruction,
        fmt::format("the channel of all-reduce {} must be positive, is {}", instruction.name(), *channel));
    return;
  }
  const bool isStart = opcode == Opcode::Send || opcode == Opcode::Recv;
  if (!isStart || !channel || instruction.users().size() != 1) return;
  const Instruction& done = *instruction.users()[0];
  if (done.opcode() != (opcode == Opcode::Send ? Opcode::SendDone : Opcode::RecvDone)) return;
  if (done.get<Attr::ChannelId>() != channel) {
    const auto doneChannel = done.get<Attr::ChannelId>();
    context.report.error(
        VerifyKind::ChannelMismatch, done,
        fmt::format("{} has channel {}, {} which it ends has {}", done.name(),
                    doneChannel ? fmt::format("{}", *doneChannel) : "none", instruction.name(), *channel));
  }
  const auto isHost = [](const Instruction& i) { return i.get<Attr::IsHostTransfer>().value_or(false); };
  if (isHost(instruction) == isHost(done)) return;
  context.report.error(VerifyKind::ChannelMismatch, done,
                       fmt::format("is_host_transfer is {} for {} and {} for {}", isHost(instruction),
                                   instruction.name(), isHost(done), done.name()));
}

}  // namespace hilo
