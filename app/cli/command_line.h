// What `hilo` does with its arguments: the subcommand they name.
#pragma once

namespace hilo::cli {

// The program's exit status. Arguments as main() has them; once in a process, before any other thread.
int runCommandLine(int argc, char** argv);

}  // namespace hilo::cli
