// The machines that the workers of a platform file were measured on.
#pragma once

#include <string>
#include <vector>

namespace starport {

/// The key "hosts" of a platform file, a name for each worker; empty where it has none. Throws
/// InputError.
std::vector<std::string> read_hosts(const std::string& path);

/// The platform file with them.
std::string with_hosts(const std::string& platform, const std::vector<std::string>& hosts);

}  // namespace starport
