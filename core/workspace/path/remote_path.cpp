#include "core/workspace/path/remote_path.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <thread>
#include <unordered_map>

#include "core/runtime/apart/stream_process.h"
#include "core/workspace/run/remote_host.h"

namespace hilo {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostBytes = int64_t{16} << 30;
constexpr size_t kMostFiles = 1'000'000;
constexpr int kMostTries = 4;

struct RemoteFile {
  std::string name;  // below the path; "" where the path is a file itself
  int64_t size = 0;
  std::string changed;  // as find writes it
};

struct RemotePath {
  std::string host, path;
};

RemotePath partsOf(const std::string& path) {
  const size_t colon = path.find(':');
  return {path.substr(0, colon), path.substr(colon + 1)};
}

Result<fs::path> placeOf(const RemotePath& remote) {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  fs::path base = variable("HILO_REMOTE_CACHE");
  if (base.empty() && !variable("XDG_CACHE_HOME").empty())
    base = fs::path(variable("XDG_CACHE_HOME")) / "hilo/remote";
  if (base.empty() && !variable("HOME").empty()) base = fs::path(variable("HOME")) / ".cache/hilo/remote";
  if (base.empty())
    return fail("not-writable", "there is no place for copies: neither HILO_REMOTE_CACHE nor HOME is set");
  std::string below = fs::path("/" + remote.path).lexically_normal().relative_path().string();
  while (below.ends_with('/')) below.pop_back();
  return base / remote.host / below;
}

// A name that stays below the folder it is put in.
bool isSound(const std::string& name) {
  const fs::path path(name);
  return !path.is_absolute() && std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

Result<std::vector<RemoteFile>> parseListing(const std::string& text, const std::string& path) {
  std::vector<RemoteFile> files;
  int64_t total = 0;
  for (const auto part : std::views::split(text, '\0')) {
    const std::string line(part.begin(), part.end());
    if (line.empty()) continue;
    const size_t first = line.find(' '), second = line.find(' ', first + 1);
    RemoteFile file;
    if (second == std::string::npos ||
        std::from_chars(line.data(), line.data() + first, file.size).ec != std::errc() || file.size < 0)
      return fail("line-lost", fmt::format("no list of files came from {}", path));
    file.changed = line.substr(first + 1, second - first - 1);
    file.name = line.substr(second + 1);
    total += std::min(file.size, kMostBytes);
    if (total > kMostBytes || files.size() == kMostFiles)
      return fail("remote-too-large", fmt::format("{} holds more than {} GiB", path, kMostBytes >> 30));
    if (isSound(file.name)) files.push_back(std::move(file));
  }
  return files;
}

// Runs a command there; an exit status other than 0 is a lost line, with what was said.
Status runThere(const RemotePath& remote, const std::string& command, std::string_view input,
                const std::function<Status(std::span<const std::byte>)>& take, const CancelToken& cancel) {
  std::vector<std::string> said;
  const auto status = runStream(sshCommand(remote.host, command), input, take, cancel, &said);
  if (!status) return std::unexpected(status.error());
  if (*status == 0) return {};
  return fail("line-lost", fmt::format("a command on {} ended with exit status {}", remote.host, *status), {},
              std::move(said));
}

Result<std::vector<RemoteFile>> listThere(const RemotePath& remote, const CancelToken& cancel) {
  const std::string path = shellQuoted(remote.path);
  // Of a path that is not there an empty list comes, so that it is told from a line that broke.
  const std::string command =
      fmt::format("if test -e {0}; then find -H {0} -type f -printf '%s %T@ %P\\0'; fi; printf 'end'", path);
  std::string text;
  TRY_STATUS(runThere(
      remote, command, "",
      [&](std::span<const std::byte> part) -> Status {
        text.append(reinterpret_cast<const char*>(part.data()), part.size());
        return {};
      },
      cancel));
  if (!text.ends_with("end")) return fail("line-lost", "the list of files ended in the middle");
  text.resize(text.size() - 3);
  return parseListing(text, remote.path);
}

// The copy of a file is complete when its size and time are noted.
std::string noteOf(const RemoteFile& file) { return fmt::format("{} {}", file.size, file.changed); }
fs::path notesPath(const fs::path& place) { return place.string() + ".copied"; }

std::unordered_map<std::string, std::string> readNotes(const fs::path& place) {
  std::unordered_map<std::string, std::string> notes;
  std::ifstream file(notesPath(place));
  for (std::string name, note; std::getline(file, name, '\0') && std::getline(file, note, '\0');)
    notes[name] = note;
  return notes;
}

Status writeNotes(const fs::path& place, const std::vector<RemoteFile>& files) {
  std::ofstream file(notesPath(place));
  for (const RemoteFile& it : files) file << it.name << '\0' << noteOf(it) << '\0';
  file.flush();
  return file ? Status()
              : fail("not-writable", fmt::format("{} cannot be written", notesPath(place).string()));
}

bool isWhole(const fs::path& place, const RemoteFile& file) {
  std::error_code error;
  const fs::path path = file.name.empty() ? place : place / file.name;
  return fs::is_regular_file(path, error) && std::cmp_equal(fs::file_size(path, error), file.size);
}

std::vector<RemoteFile> missingOf(const fs::path& place, const std::vector<RemoteFile>& files) {
  const auto notes = readNotes(place);
  std::vector<RemoteFile> missing;
  for (const RemoteFile& file : files) {
    const auto known = notes.find(file.name);
    if (known == notes.end() || known->second != noteOf(file) || !isWhole(place, file))
      missing.push_back(file);
  }
  return missing;
}

// A bundle of these files, unpacked as it comes. What came whole stays, whatever happens to the rest.
Status fetch(const RemotePath& remote, const fs::path& folder, const std::vector<std::string>& names,
             const std::string& below, int64_t bytes, const JobContext& context) {
  std::string list;
  for (const std::string& name : names) list += name + '\0';
  const fs::path bundle = folder.string() + ".bundle";
  std::ofstream out(bundle, std::ios::binary);
  int64_t came = 0;
  const auto take = [&](std::span<const std::byte> part) -> Status {
    out.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
    came += std::ssize(part);
    context.progress(bytes > 0 ? std::min(1.0, static_cast<double>(came) / static_cast<double>(bytes)) : -1,
                     fmt::format("from {}", remote.host));
    return out ? Status() : fail("not-writable", fmt::format("{} cannot be written", bundle.string()));
  };
  const Status fetched =
      runThere(remote, fmt::format("tar -C {} -cf - --null --no-recursion -T -", shellQuoted(below)), list,
               take, context.cancel());
  out.close();
  // A bundle that broke off holds whole files up to there.
  const auto unpacked = runStream(
      {"tar", "-C", folder.string(), "-xf", bundle.string(), "--no-same-owner", "--no-same-permissions"}, "",
      [](auto) { return Status(); }, CancelToken());
  std::error_code error;
  fs::remove(bundle, error);
  TRY_STATUS(fetched);
  if (!unpacked) return std::unexpected(unpacked.error());
  return *unpacked == 0 ? Status() : fail("line-lost", "the bundle ended in the middle");
}

Status fetchMissing(const RemotePath& remote, const fs::path& place, const std::vector<RemoteFile>& files,
                    const JobContext& context) {
  const bool isFile = files.size() == 1 && files[0].name.empty();
  const std::vector<RemoteFile> missing = missingOf(place, files);
  if (missing.empty()) return {};
  std::error_code error;
  const fs::path folder = isFile ? place.parent_path() : place;
  fs::create_directories(folder, error);
  if (error) return fail("not-writable", fmt::format("{}: {}", folder.string(), error.message()));
  const fs::path there(remote.path);
  std::vector<std::string> names;
  int64_t bytes = 0;
  for (const RemoteFile& file : missing) {
    names.push_back(isFile ? there.filename().string() : file.name);
    bytes += file.size;
    fs::remove(isFile ? place : place / file.name, error);
  }
  const Status fetched =
      fetch(remote, folder, names, isFile ? there.parent_path().string() : remote.path, bytes, context);
  // What is here whole needs not come again.
  std::vector<RemoteFile> whole;
  std::ranges::copy_if(files, std::back_inserter(whole),
                       [&](const RemoteFile& file) { return isWhole(place, file); });
  TRY_STATUS(writeNotes(place, whole));
  TRY_STATUS(fetched);
  if (whole.size() == files.size()) return {};
  return fail("line-lost", fmt::format("{} of {} files came whole", whole.size(), files.size()), {},
              {"what is still being written there is copied when it is opened again"});
}

}  // namespace

bool isRemotePath(const std::string& path) {
  const size_t colon = path.find(':');
  if (colon == std::string::npos || colon + 1 >= path.size() || path.find('/') < colon) return false;
  if (path[colon + 1] != '/') return false;
  std::error_code error;
  return !fs::exists(path, error);
}

Result<std::string> copyFromRemote(const std::string& path, const JobContext& context) {
  const RemotePath remote = partsOf(path);
  TRY_STATUS(checkHost(remote.host));
  TRY(const fs::path place, placeOf(remote));
  for (int tries = 1;; ++tries) {
    const auto files = listThere(remote, context.cancel());
    if (files && files->empty())
      return fail("file-not-found", fmt::format("there is no file at {} on {}", remote.path, remote.host));
    const Status done = files ? fetchMissing(remote, place, *files, context) : std::unexpected(files.error());
    if (done) return place.string();
    if (done.error().kind != "line-lost" || tries == kMostTries) return std::unexpected(done.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(50) * (1 << tries));
  }
}

}  // namespace hilo
