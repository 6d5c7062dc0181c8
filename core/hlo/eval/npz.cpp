#include <zip.h>

#include "core/hlo/eval/npy.h"

namespace hilo {
namespace {

struct ZipCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Zip = std::unique_ptr<zip_t, ZipCloser>;

Result<Zip> openZip(const std::string& path, int flags) {
  int code = 0;
  zip_t* archive = zip_open(path.c_str(), flags, &code);
  if (archive != nullptr) return Zip(archive);
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  const char* kind = (flags & ZIP_CREATE) != 0 ? "cannot-write"
                     : code == ZIP_ER_NOENT    ? "file-not-found"
                     : code == ZIP_ER_NOZIP    ? "malformed-npz"
                                               : "not-readable";
  return fail(kind, fmt::format("cannot open {}: {}", path, reason));
}

Result<std::vector<std::byte>> readMember(zip_t* archive, zip_uint64_t index, int64_t& budget) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0) {
    return fail("malformed-npz", "a member has no size");
  }
  if (stat.size > static_cast<uint64_t>(budget))
    return fail("literal-too-large", "the members are too large");
  budget -= static_cast<int64_t>(stat.size);
  std::vector<std::byte> bytes;
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(archive, index, 0),
                                                               zip_fclose);
  if (file == nullptr) return fail("malformed-npz", "a member cannot be opened");
  // Grows with what really comes out, so that a false size in the directory costs nothing.
  constexpr size_t kStep = size_t{1} << 20;
  while (bytes.size() < stat.size) {
    const size_t before = bytes.size(), step = std::min<size_t>(kStep, stat.size - before);
    bytes.resize(before + step);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, step);
    if (got <= 0) return fail("malformed-npz", "a member ends early");
    bytes.resize(before + static_cast<size_t>(got));
  }
  return bytes;
}

}  // namespace

Result<std::vector<NamedLiteral>> loadNpz(
    const std::string& path, const std::function<std::optional<Shape>(std::string_view name)>& targetOf) {
  TRY(const Zip archive, openZip(path, ZIP_RDONLY));
  std::vector<NamedLiteral> members;
  int64_t budget = kNpyLimitBytes;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* rawName = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    std::string name = rawName == nullptr ? "" : rawName;
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    TRY(const std::vector<std::byte> bytes, readMember(archive.get(), static_cast<zip_uint64_t>(i), budget));
    auto literal = readNpy(bytes, targetOf ? targetOf(name) : std::nullopt);
    if (!literal) {
      Diagnostic error = std::move(literal).error();
      error.message = fmt::format("{}: {}: {}", path, name, error.message);
      return std::unexpected(std::move(error));
    }
    members.push_back({std::move(name), *std::move(literal)});
  }
  return members;
}

Status saveNpz(const std::string& path, std::span<const NamedLiteral> members) {
  TRY(Zip archive, openZip(path, ZIP_CREATE | ZIP_TRUNCATE));
  // The archive reads these when it is closed.
  std::vector<std::vector<std::byte>> files;
  for (const NamedLiteral& member : members) {
    TRY(std::vector<std::byte> bytes, writeNpy(member.literal));
    files.push_back(std::move(bytes));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    zip_source_t* source = zip_source_buffer(archive.get(), files[i].data(), files[i].size(), 0);
    if (source == nullptr) return fail("cannot-write", fmt::format("cannot write {}", path));
    if (zip_file_add(archive.get(), (members[i].name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      return fail("cannot-write",
                  fmt::format("cannot write {}: two members named {}", path, members[i].name));
    }
  }
  zip_t* raw = archive.release();
  if (zip_close(raw) != 0) {
    archive.reset(raw);
    return fail("cannot-write", fmt::format("cannot write {}: {}", path, zip_strerror(raw)));
  }
  return {};
}

}  // namespace hilo
