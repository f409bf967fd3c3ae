// starport calibrate: becomes starport-calibrate, the program that has a BLAS.
#include "sim/app/command.hpp"
#include "sim/files/error.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace starport {

int calibrate_elsewhere(const std::vector<std::string>& arguments) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string program = here / "starport-calibrate";
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  if (errno != ENOENT) {
    throw InputError("", "a program that can be started", std::strerror(errno)).in_file(program);
  }
  throw InputError("starport calibrate", "a build with a BLAS", "one without",
                   "install libopenblas-dev and run cmake again");
}

}  // namespace starport
