// Other machines, as the user's own ssh reaches them. HILO_SSH is the command, words with blanks between
// (default: ssh, with a look at the line each five seconds); HILO_REMOTE
// is what hilo is called there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// Names of hosts and users as ssh takes them, and nothing that it would take for an option. Kind "bad-host".
Status checkHost(std::string_view host);

// What runs a command of the shell there.
std::vector<std::string> sshCommand(const std::string& host, const std::string& shellCommand);

// hilo there, with these arguments.
std::vector<std::string> remoteHilo(const std::string& host, const std::string& arguments);

// A word of the shell there, whatever is in it.
std::string shellQuoted(std::string_view text);

}  // namespace hilo
