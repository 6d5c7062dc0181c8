// Sends and receives between devices, and what goes to and comes from the host.
//
// A send does not wait; a receive waits at its done, so that a loop may receive before it sends, as pipelined
// loops do. The source-target pairs stand in a frontend attribute, as XLA's collective-permute-decomposer
// writes them; without them a channel alone says what goes where, which also serves transfers by way of a
// host that gives back on a channel what was sent on it.
#include "core/hlo/eval/collective_groups.h"
#include "core/hlo/eval/exchange.h"
#include "core/hlo/eval/handlers.h"

namespace hilo::eval {
namespace {

// Where `self` sends to or receives from: (source, target) devices, or the channel's own route. Empty when
// the pairs leave this device out.
Result<std::vector<DeviceExchange::Route>> routesOf(const Instruction& instruction, EvalContext& context,
                                                    bool asSource) {
  const int64_t channel = instruction.get<Attr::ChannelId>().value_or(0);
  TRY(const auto written, sendRecvPairs(instruction));
  if (!written) return std::vector<DeviceExchange::Route>{{.channel = channel}};
  const DeviceGrid grid = context.exchange()->grid();
  const int64_t device = context.device();
  const DeviceGroupMode mode = channel > 0 ? DeviceGroupMode::CrossPartition : DeviceGroupMode::CrossReplica;
  TRY(const auto pairs, pairsOf(instruction, *written, mode, grid, device));
  std::vector<DeviceExchange::Route> routes;
  for (const auto& [source, target] : pairs) {
    if ((asSource ? source : target) == device)
      routes.push_back({.channel = channel, .source = source, .target = target});
  }
  return routes;
}

std::unexpected<Diagnostic> alone(const Instruction& instruction) {
  return unsupportedOpcode(instruction,
                           fmt::format("{} exchanges data among several devices", instruction.opcodeText()));
}

std::unexpected<Diagnostic> hostOnly(const Instruction& instruction) {
  return unsupportedOpcode(instruction,
                           fmt::format("{} talks to the world outside the module", instruction.opcodeText()));
}

}  // namespace

Result<Literal> send(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  if (context.exchange() == nullptr) return alone(instruction);
  TRY(const auto routes, routesOf(instruction, context, /*asSource=*/true));
  for (const DeviceExchange::Route& route : routes)
    TRY_STATUS(context.exchange()->sendCopy(instruction, route, operands[0]));
  return Literal::tuple(
      {std::move(operands[0]), Literal(Shape::scalar(ElementType::U32)), Literal(Shape::token())});
}

Result<Literal> sendDone(const Instruction&, std::span<Literal>, EvalContext&) {
  return Literal(Shape::token());
}

// (zeros, context, token): what is received when nobody sends to this device.
Result<Literal> recv(const Instruction& instruction, std::span<Literal>, EvalContext& context) {
  if (context.exchange() == nullptr) return alone(instruction);
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isTuple() && shape.tupleShapes().size() == 3, "must give (data, context, token)");
  TRY(Literal data, context.make(shape.tupleShapes()[0]));
  return Literal::tuple({std::move(data), Literal(Shape::scalar(ElementType::U32)), Literal(Shape::token())});
}

Result<Literal> recvDone(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  if (context.exchange() == nullptr) return alone(instruction);
  EVAL_REQUIRE(operands[0].isTuple() && operands[0].elements().size() == 3, "the operand is no receive");
  Literal data = std::move(operands[0].mutableElements()[0]);
  // The pairs may stand at the recv alone.
  const Instruction* described = &instruction;
  if (const Instruction* start = instruction.operand(0); start->opcode() == Opcode::Recv) described = start;
  TRY(const auto routes, routesOf(*described, context, /*asSource=*/false));
  for (const DeviceExchange::Route& route : routes) {
    TRY(data, context.exchange()->receiveNext(context.device(), instruction, route));
  }
  return Literal::tuple({std::move(data), Literal(Shape::token())});
}

// (data, token)
Result<Literal> infeed(const Instruction& instruction, std::span<Literal>, EvalContext& context) {
  if (context.host() == nullptr) return hostOnly(instruction);
  const Shape shape = instruction.shape();
  EVAL_REQUIRE(shape.isTuple() && shape.tupleShapes().size() == 2, "must give (data, token)");
  TRY(Literal next, context.host()->take(shape.tupleShapes()[0], instruction.name()));
  return Literal::tuple({std::move(next), Literal(Shape::token())});
}

Result<Literal> outfeed(const Instruction& instruction, std::span<Literal> operands, EvalContext& context) {
  if (context.host() == nullptr) return hostOnly(instruction);
  TRY_STATUS(context.host()->give(std::move(operands[0]), instruction.name()));
  return Literal(Shape::token());
}

}  // namespace hilo::eval
