#include "core/workspace/compiled/launch_sizes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/hlo/dump/line_scanner.h"

namespace hilo {
namespace {

using nlohmann::json;

bool readsBlockNumber(const PtxFunction& kernel) {
  const auto reads = [](auto&& self, const PtxOperand& operand) -> bool {
    if (operand.kind == PtxOperand::Kind::Special && operand.name.starts_with("%ctaid")) return true;
    return std::ranges::any_of(operand.parts, [&](const PtxOperand& part) { return self(self, part); });
  };
  return std::ranges::any_of(kernel.instructions, [&](const PtxInstruction& instruction) {
    return std::ranges::any_of(instruction.operands, [&](const PtxOperand& o) { return reads(reads, o); });
  });
}

// A number that the proto's JSON writes as a text.
int64_t numberAt(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return 0;
  if (found->is_number_integer()) return found->get<int64_t>();
  const std::string text = found->is_string() ? found->get<std::string>() : "";
  return LineScanner(text).number().value_or(0);
}

int64_t tilesOf(int64_t size, int64_t tile) { return tile <= 0 ? 0 : (size + tile - 1) / tile; }

// A block for each tile of the first result.
int64_t blocksByTiles(const json& config, Shape result) {
  const auto tiles = config.find("output_tiles");
  if (tiles == config.end() || !tiles->is_array() || tiles->empty()) return 0;
  const auto sizes = (*tiles)[0].find("sizes");
  while (result.isTuple()) result = result.tupleShapes()[0];
  if (sizes == (*tiles)[0].end() || sizes->size() != result.rank()) return 0;
  int64_t blocks = 1;
  for (size_t d = 0; d < result.rank(); ++d) {
    const std::string text = (*sizes)[d].is_string() ? (*sizes)[d].get<std::string>() : (*sizes)[d].dump();
    blocks *= tilesOf(result.dimension(d), LineScanner(text).number().value_or(0));
  }
  return blocks;
}

// A block for each tile of rows and columns of each product, and for each part of the sums.
int64_t blocksOfGemm(const json& config, Shape result) {
  while (result.isTuple()) result = result.tupleShapes()[0];
  if (result.rank() < 2) return 0;
  int64_t blocks = tilesOf(result.dimension(result.rank() - 2), numberAt(config, "block_m")) *
                   tilesOf(result.dimension(result.rank() - 1), numberAt(config, "block_n"));
  for (size_t d = 0; d + 2 < result.rank(); ++d) blocks *= result.dimension(d);
  // With several parts the result has a dimension of them.
  return blocks;
}

int64_t blocksByConfiguration(const Instruction& instruction) {
  const json config = json::parse(std::string_view(instruction.get<Attr::BackendConfig>()), nullptr, false);
  if (!config.is_object()) return 0;
  const auto fusion = config.find("fusion_backend_config");
  if (fusion == config.end() || !fusion->is_object()) return 0;
  if (const auto tiles = fusion->find("block_level_fusion_config"); tiles != fusion->end())
    return blocksByTiles(*tiles, instruction.shape());
  if (const auto gemm = fusion->find("triton_gemm_config"); gemm != fusion->end())
    return blocksOfGemm(*gemm, instruction.shape());
  return 0;
}

// "!3" in "... !range !3" is a line "!3 = !{i32 0, i32 64}" of the module.
std::optional<uint32_t> endOfRange(std::string_view llvmIr, std::string_view number) {
  const size_t at = llvmIr.find(fmt::format("\n!{} = !{{i32 0, i32 ", number));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = llvmIr.substr(at + 1);
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const auto end = LineScanner(line.substr(line.rfind(' ') + 1)).number();
  return end && *end > 0 && *end <= INT32_MAX ? std::optional(static_cast<uint32_t>(*end)) : std::nullopt;
}

}  // namespace

std::optional<uint32_t> blocksInLlvmIr(std::string_view llvmIr, std::string_view kernel) {
  const size_t name = llvmIr.find(fmt::format("@{}(", kernel));
  if (name == std::string_view::npos) return std::nullopt;
  std::string_view body = llvmIr.substr(name);
  body = body.substr(0, body.find("\n}"));
  while (!body.empty()) {
    const std::string_view line = takeLine(body);
    if (!line.contains("read.ptx.sreg.ctaid.x")) continue;
    if (const size_t at = line.find("!range !"); at != std::string_view::npos) {
      const std::string_view number = line.substr(at + 8);
      return endOfRange(llvmIr, number.substr(0, number.find_first_not_of("0123456789")));
    }
    if (const size_t at = line.find("range(i32 0, "); at != std::string_view::npos) {
      const auto end = LineScanner(line.substr(at + 13)).number();
      if (end && *end > 0 && *end <= INT32_MAX) return static_cast<uint32_t>(*end);
    }
  }
  return std::nullopt;
}

Result<GridLaunch> dumpedLaunch(const Instruction& instruction, const PtxFunction& kernel,
                                const PtxModule& ptx, std::string_view llvmIr, uint32_t mostSharedBytes) {
  const PtxAttribute* threads = kernel.attribute("reqntid");
  if (threads == nullptr) threads = kernel.attribute("maxntid");
  if (threads == nullptr || threads->values.empty())
    return fail("unsupported-program",
                fmt::format("%{}: its kernel {} does not say how many threads a block has",
                            instruction.name(), kernel.name));
  const auto thread = [&](size_t i) {
    return static_cast<uint32_t>(i < threads->values.size() ? threads->values[i] : 1);
  };
  GridLaunch launch{.gridX = 1, .blockX = thread(0), .blockY = thread(1), .blockZ = thread(2)};
  int64_t blocks = 1;
  if (readsBlockNumber(kernel)) {
    const auto told = blocksInLlvmIr(llvmIr, kernel.name);
    blocks = told ? *told : blocksByConfiguration(instruction);
  }
  if (blocks < 1 || blocks > INT32_MAX)
    return fail("unsupported-program",
                fmt::format("%{}: nothing in the dump says how many blocks its kernel {} is launched with",
                            instruction.name(), kernel.name),
                {}, {"the LLVM IR does: --xla_dump_to writes it beside the PTX"});
  launch.gridX = static_cast<uint32_t>(blocks);
  const bool asksForShared = std::ranges::any_of(ptx.variables, [](const PtxVariable& variable) {
    return variable.space == PtxSpace::Shared && variable.linkage == PtxLinkage::Extern;
  });
  if (asksForShared) launch.sharedBytes = mostSharedBytes;
  return launch;
}

}  // namespace hilo
