#include "core/workspace/run/remote_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>

namespace hilo {

Status checkHost(std::string_view host) {
  const auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-@").contains(c);
  };
  if (!host.empty() && host[0] != '-' && std::ranges::all_of(host, isPlain)) return {};
  return fail(
      "bad-host", fmt::format("'{}' is no name of a machine", host), {},
      {"HOST or USER@HOST, of letters, digits, '.', '_' and '-'; ports and more go into ~/.ssh/config"});
}

std::vector<std::string> sshCommand(const std::string& host, const std::string& shellCommand) {
  std::vector<std::string> words;
  if (const char* own = std::getenv("HILO_SSH"); own != nullptr && *own != '\0') {
    for (const auto part : std::views::split(std::string_view(own), ' ')) {
      if (!part.empty()) words.emplace_back(part.begin(), part.end());
    }
  } else {
    words = {"ssh", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", "ConnectTimeout=15"};
  }
  words.push_back(host);
  words.push_back(shellCommand);
  return words;
}

std::vector<std::string> remoteHilo(const std::string& host, const std::string& arguments) {
  const char* own = std::getenv("HILO_REMOTE");
  return sshCommand(host, fmt::format("{} {}", own != nullptr && *own != '\0' ? own : "hilo", arguments));
}

std::string shellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace hilo
