// Attributes that are one number, flag, enumeration or string.
#include "core/hlo/proto/attribute_codec.h"

namespace hilo {
namespace {

using P = pb::HloInstructionProto;

enum class When : uint8_t { Always, NotZero };

// A field whose value is the attribute's.
template <Attr A, When when, auto get, auto set, auto clear>
constexpr AttributeCodec field() {
  using Value = typename AttrTraits<A>::Type;
  return {A,
          [](ReadContext& in) {
            const auto value = (in.proto.*get)();
            if (when == When::Always || value != 0) put<A>(in, static_cast<Value>(value));
            (in.proto.*clear)();
          },
          [](WriteContext& out) {
            if (const auto value = out.instruction.get<A>()) (out.proto.*set)(*value);
          }};
}

template <typename E>
std::optional<E> knownEnum(ReadContext& in, std::string_view name, int64_t number) {
  const auto value = enumFromNumber<E>(number);
  if (!value)
    in.problems.warning("unknown-enum", fmt::format("{} has no value {}; kept as it is", name, number));
  return value;
}

// An enumeration whose numbers are the proto's. Values the IR does not know stay in the message.
template <Attr A, When when, typename PbEnum, auto get, auto set, auto clear>
constexpr AttributeCodec enumField() {
  using E = typename AttrTraits<A>::Type;
  return {A,
          [](ReadContext& in) {
            const int64_t number = (in.proto.*get)();
            if (when == When::Always || number != 0) {
              const auto value = knownEnum<E>(in, attrName(A), number);
              if (!value) return;
              put<A>(in, *value);
            }
            (in.proto.*clear)();
          },
          [](WriteContext& out) {
            if (const auto value = out.instruction.get<A>()) (out.proto.*set)(static_cast<PbEnum>(*value));
          }};
}

// Text kept as it is; absent when empty.
template <Attr A, When when, auto get, auto mutableField, auto clear>
constexpr AttributeCodec text() {
  return {A,
          [](ReadContext& in) {
            const std::string& value = (in.proto.*get)();
            if (when == When::Always || !value.empty()) put<A>(in, std::string_view(value));
            (in.proto.*clear)();
          },
          [](WriteContext& out) {
            if (out.instruction.has(A)) *(out.proto.*mutableField)() = std::string(out.instruction.get<A>());
          }};
}

// Group counts are 1 unless said otherwise; XLA prints them only then, and always writes them.
template <Attr A, auto get, auto set, auto clear>
constexpr AttributeCodec groupCount() {
  return {A,
          [](ReadContext& in) {
            if ((in.proto.*get)() > 1) put<A>(in, (in.proto.*get)());
            (in.proto.*clear)();
          },
          [](WriteContext& out) { (out.proto.*set)(out.instruction.get<A>().value_or(1)); }};
}

#define HILO_FIELD(attr, when, name) \
  field<Attr::attr, When::when, &P::name, &P::set_##name, &P::clear_##name>()
#define HILO_ENUM(attr, when, type, name) \
  enumField<Attr::attr, When::when, type, &P::name, &P::set_##name, &P::clear_##name>()
#define HILO_TEXT(attr, when, name) \
  text<Attr::attr, When::when, &P::name, &P::mutable_##name, &P::clear_##name>()
#define HILO_COUNT(attr, name) groupCount<Attr::attr, &P::name, &P::set_##name, &P::clear_##name>()

void readFusionKind(ReadContext& in) {
  const auto kind = enumFromText<FusionKind>(in.proto.fusion_kind());
  if (!kind) {
    in.problems.error("unknown-enum", fmt::format("fusion kind '{}' is not known", in.proto.fusion_kind()));
    return;
  }
  put<Attr::FusionKindKind>(in, *kind);
  in.proto.clear_fusion_kind();
}
void writeFusionKind(WriteContext& out) {
  if (const auto kind = out.instruction.get<Attr::FusionKindKind>()) {
    out.proto.set_fusion_kind(std::string(enumText(*kind)));
  }
}

void readDirection(ReadContext& in) {
  const auto direction = enumFromText<ComparisonDirection>(in.proto.comparison_direction());
  if (!direction) {
    in.problems.error("unknown-enum",
                      fmt::format("comparison direction '{}' is not known", in.proto.comparison_direction()));
    return;
  }
  put<Attr::Direction>(in, *direction);
  in.proto.clear_comparison_direction();
}
void writeDirection(WriteContext& out) {
  if (const auto direction = out.instruction.get<Attr::Direction>()) {
    out.proto.set_comparison_direction(std::string(enumText(*direction)));
  }
}

// How values of an element type compare unless the instruction says otherwise.
ComparisonType defaultComparison(const Instruction& compare) {
  if (compare.operandCount() == 0) return ComparisonType::Signed;
  switch (elementClass(compare.operand(0)->shape().elementType())) {
    case ElementClass::Float:
    case ElementClass::Complex:
      return ComparisonType::Float;
    case ElementClass::Pred:
    case ElementClass::Unsigned:
      return ComparisonType::Unsigned;
    default:
      return ComparisonType::Signed;
  }
}

void readComparisonType(ReadContext& in) {
  const std::string& text = in.proto.comparison_type();
  if (text.empty()) return;
  const auto type = enumFromText<ComparisonType>(text);
  if (!type) {
    in.problems.error("unknown-enum", fmt::format("comparison type '{}' is not known", text));
    return;
  }
  if (*type != defaultComparison(in.instruction)) put<Attr::ComparisonTypeKind>(in, *type);
  in.proto.clear_comparison_type();
}
void writeComparisonType(WriteContext& out) {
  const auto type =
      out.instruction.get<Attr::ComparisonTypeKind>().value_or(defaultComparison(out.instruction));
  out.proto.set_comparison_type(std::string(enumText(type)));
}

void readIsStable(ReadContext& in) {
  if (in.proto.is_stable() || in.instruction.opcode() == Opcode::TopK) {
    put<Attr::IsStable>(in, in.proto.is_stable());
  }
  in.proto.clear_is_stable();
}
void writeIsStable(WriteContext& out) {
  out.proto.set_is_stable(out.instruction.get<Attr::IsStable>().value_or(false));
}

void readIsAssociative(ReadContext& in) {
  if (in.proto.is_associative() != pb::TRI_STATE_UNSPECIFIED) {
    put<Attr::IsAssociative>(in, in.proto.is_associative() == pb::TRI_STATE_TRUE);
  }
  in.proto.clear_is_associative();
}
void writeIsAssociative(WriteContext& out) {
  const auto value = out.instruction.get<Attr::IsAssociative>();
  if (value) out.proto.set_is_associative(*value ? pb::TRI_STATE_TRUE : pb::TRI_STATE_FALSE);
}

void readPrefetchIndex(ReadContext& in) {
  if (in.proto.has_cross_program_prefetch_index()) {
    put<Attr::CrossProgramPrefetchIndex>(in, in.proto.cross_program_prefetch_index());
  } else if (in.proto.is_cross_program_prefetch()) {
    put<Attr::CrossProgramPrefetchIndex>(in, 0);
  }
  in.proto.clear_optional_cross_program_prefetch_index();
  in.proto.clear_is_cross_program_prefetch();
}
void writePrefetchIndex(WriteContext& out) {
  const auto index = out.instruction.get<Attr::CrossProgramPrefetchIndex>();
  if (index) out.proto.set_cross_program_prefetch_index(static_cast<int32_t>(*index));
}

void readApiVersion(ReadContext& in) {
  const auto version = knownEnum<CustomCallApiVersion>(in, "api_version", in.proto.custom_call_api_version());
  if (!version) return;
  if (*version != CustomCallApiVersion::Original) put<Attr::ApiVersion>(in, *version);
  in.proto.clear_custom_call_api_version();
}
void writeApiVersion(WriteContext& out) {
  const auto version = out.instruction.get<Attr::ApiVersion>().value_or(CustomCallApiVersion::Original);
  out.proto.set_custom_call_api_version(static_cast<pb::CustomCallApiVersion>(version));
}

// Options that have a message of their own: absent when not set, as XLA prints them.
template <Attr A, auto readFlag, auto writeFlag>
constexpr AttributeCodec option() {
  return {A,
          [](ReadContext& in) {
            if (readFlag(in.proto)) put<A>(in, true);
          },
          [](WriteContext& out) { writeFlag(out.proto, out.instruction.get<A>().value_or(false)); }};
}

// Cholesky and triangular solve both have one.
bool readLowerFlag(const P& proto) {
  return proto.cholesky_options().lower() || proto.triangular_solve_options().lower();
}
void writeLower(WriteContext& out) {
  const bool lower = out.instruction.get<Attr::Lower>().value_or(false);
  if (out.instruction.opcode() == Opcode::Cholesky) {
    out.proto.mutable_cholesky_options()->set_lower(lower);
  } else {
    out.proto.mutable_triangular_solve_options()->set_lower(lower);
  }
}

void readTransposeA(ReadContext& in) {
  const auto value =
      knownEnum<TransposeA>(in, "transpose_a", in.proto.triangular_solve_options().transpose_a());
  if (value && *value != TransposeA::Invalid) put<Attr::TransposeAKind>(in, *value);
}
void writeTransposeA(WriteContext& out) {
  const auto value = out.instruction.get<Attr::TransposeAKind>().value_or(TransposeA::Invalid);
  out.proto.mutable_triangular_solve_options()->set_transpose_a(
      static_cast<pb::TriangularSolveOptions::Transpose>(value));
}

constexpr AttributeCodec kCodecs[] = {
    HILO_FIELD(ParameterNumber, Always, parameter_number),
    HILO_FIELD(Index, Always, tuple_index),
    HILO_FIELD(ChannelId, NotZero, channel_id),
    HILO_FIELD(ConstrainLayout, NotZero, constrain_layout),
    HILO_FIELD(UseGlobalDeviceIds, NotZero, use_global_device_ids),
    HILO_FIELD(HasDynamicRoot, Always, has_dynamic_root),
    HILO_FIELD(IndicesAreSorted, NotZero, indices_are_sorted),
    HILO_FIELD(UniqueIndices, NotZero, unique_indices),
    HILO_FIELD(Epsilon, Always, epsilon),
    HILO_FIELD(FeatureIndex, Always, feature_index),
    HILO_FIELD(IsHostTransfer, NotZero, is_host_transfer),
    HILO_FIELD(K, Always, k),
    HILO_FIELD(Largest, Always, largest),
    HILO_FIELD(NumCarries, Always, num_carries),
    HILO_FIELD(IsReverse, NotZero, is_reverse),
    HILO_FIELD(ExponentBits, Always, exponent_bits),
    HILO_FIELD(MantissaBits, Always, mantissa_bits),
    HILO_FIELD(Delta, Always, delta),
    HILO_FIELD(CustomCallHasSideEffect, NotZero, custom_call_has_side_effect),
    HILO_FIELD(IsComposite, NotZero, is_composite),
    HILO_COUNT(FeatureGroupCount, feature_group_count),
    HILO_COUNT(BatchGroupCount, batch_group_count),
    HILO_ENUM(FftTypeKind, Always, pb::FftType, fft_type),
    HILO_ENUM(Distribution, Always, pb::RandomDistribution, distribution),
    HILO_ENUM(RandomAlgorithmKind, Always, pb::RandomAlgorithm, rng_algorithm),
    HILO_ENUM(PaddingTypeKind, NotZero, pb::PaddingType, padding_type),
    HILO_ENUM(CustomCallScheduleKind, NotZero, pb::CustomCallSchedule, custom_call_schedule),
    HILO_ENUM(ConvolutionKindKind, NotZero, pb::ConvolutionKind, conv_kind),
    HILO_TEXT(InfeedConfig, NotZero, infeed_config),
    HILO_TEXT(OutfeedConfig, NotZero, outfeed_config),
    HILO_TEXT(CustomCallTarget, Always, custom_call_target),
    HILO_TEXT(AsyncExecutionThread, NotZero, async_execution_thread),
    {Attr::FusionKindKind, readFusionKind, writeFusionKind},
    {Attr::Direction, readDirection, writeDirection},
    {Attr::ComparisonTypeKind, readComparisonType, writeComparisonType},
    {Attr::IsStable, readIsStable, writeIsStable},
    {Attr::IsAssociative, readIsAssociative, writeIsAssociative},
    {Attr::CrossProgramPrefetchIndex, readPrefetchIndex, writePrefetchIndex},
    {Attr::ApiVersion, readApiVersion, writeApiVersion},
    option<Attr::LeftSide, [](const P& p) { return p.triangular_solve_options().left_side(); },
           [](P& p, bool on) { p.mutable_triangular_solve_options()->set_left_side(on); }>(),
    option<Attr::UnitDiagonal, [](const P& p) { return p.triangular_solve_options().unit_diagonal(); },
           [](P& p, bool on) { p.mutable_triangular_solve_options()->set_unit_diagonal(on); }>(),
    {Attr::Lower,
     [](ReadContext& in) {
       if (readLowerFlag(in.proto)) put<Attr::Lower>(in, true);
     },
     writeLower},
    {Attr::TransposeAKind, readTransposeA, writeTransposeA},
};

}  // namespace

std::span<const AttributeCodec> scalarCodecs() { return kCodecs; }

}  // namespace hilo
