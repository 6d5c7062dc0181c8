#include "app/pjrt/functions.h"

namespace hilo {
namespace {

void destroyError(PjrtError* error) { delete error; }
void messageOf(const PjrtError* error, const char** text, size_t* size) {
  *text = error->message.data();
  *size = error->message.size();
}
PjrtCode codeOf(const PjrtError* error) { return error->code; }
void payloadsOf(const PjrtError*, PjrtPayloadVisitor, void*) {}  // there are none

constexpr PjrtErrorFunctions kFunctions = {sizeof(PjrtErrorFunctions), destroyError, messageOf, codeOf,
                                           payloadsOf};

struct KindCode {
  std::string_view kind;
  PjrtCode code;
};
// Of kinds that others may want to tell apart; the rest is at fault with what was given.
constexpr KindCode kCodes[] = {
    {"cancelled", PjrtCode::Cancelled},
    {"out-of-memory", PjrtCode::ResourceExhausted},
    {"literal-too-large", PjrtCode::ResourceExhausted},
    {"not-runnable", PjrtCode::Unimplemented},
    {"unsupported", PjrtCode::Unimplemented},
    {"time-limit", PjrtCode::DeadlineExceeded},
    {"no-device", PjrtCode::NotFound},
    {"buffer-deleted", PjrtCode::FailedPrecondition},
};

Status destroy(PjrtErrorArgs& in) {
  delete in.error;
  return {};
}
Status message(PjrtErrorMessage& in) {
  in.message = textOf(in.error->message);
  return {};
}
Status code(PjrtErrorCode& in) {
  in.code = in.error->code;
  return {};
}
Status payloads(PjrtErrorPayload&) { return {}; }

}  // namespace

PjrtError* makeError(PjrtCode code, std::string message) {
  return new PjrtError{.functions = &kFunctions, .code = code, .message = std::move(message)};
}

PjrtError* makeError(const Diagnostic& diagnostic) {
  const auto* known = std::ranges::find(kCodes, diagnostic.kind, &KindCode::kind);
  return makeError(known != std::end(kCodes) ? known->code : PjrtCode::InvalidArgument, toString(diagnostic));
}

std::span<const PjrtFunctionRow> errorRows() {
  using enum PjrtFunction;
  static constexpr PjrtFunctionRow kRows[] = {row<Error_Destroy, destroy>(), row<Error_Message, message>(),
                                              row<Error_GetCode, code>(),
                                              row<Error_ForEachPayload, payloads>()};
  return kRows;
}

}  // namespace hilo
