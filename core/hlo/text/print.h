// A module, or a part of one, to HLO text as XLA prints it (hlo/ir/hlo_{module,computation,instruction}*.cc).
// Printing never fails; what a broken module lacks is printed as "null". Append functions add to `out`.
#pragma once

#include <string>

#include "core/hlo/ir/module.h"
#include "core/hlo/text/print_options.h"
#include "core/hlo/text/text_index.h"

namespace hilo {

std::string printModule(const Module& module, const PrintOptions& options = {});
// The same, with the line of every instruction and computation noted in `index`.
std::string printModule(const Module& module, const PrintOptions& options, TextIndex& index);

std::string printComputation(const Computation& computation, const PrintOptions& options = {});
// One line, without indentation or "ROOT ".
std::string printInstruction(const Instruction& instruction, const PrintOptions& options = {});

// Values alone.
void appendLiteral(std::string& out, const Literal& literal, const PrintOptions& options = {});
// "f32[2]{0} {1, 2}".
void appendShapedLiteral(std::string& out, const Literal& literal);
void appendSharding(std::string& out, const Sharding& sharding, bool withMetadata = true);
void appendReplicaGroups(std::string& out, const ReplicaGroups& groups);
void appendMesh(std::string& out, const Mesh& mesh);
void appendWindow(std::string& out, const Window& window);
void appendDimLabels(std::string& out, const ConvolutionDimensionNumbers& numbers);
void appendPadding(std::string& out, std::span<const PaddingDimension> padding);
void appendOpMetadata(std::string& out, const OpMetadata& metadata, bool onlyOpName = false);
void appendOriginalValue(std::string& out, const OriginalValue& value);
// The value of one attribute, as it stands after its '='.
void appendAttributeValue(std::string& out, const Attribute& attribute, const PrintOptions& options = {});

}  // namespace hilo
