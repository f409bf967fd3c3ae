// Fingerprints of files, for provenance.
#pragma once

#include <string>
#include <string_view>

namespace starport {

/// SHA-256 in hexadecimal.
std::string sha256(std::string_view bytes);

}  // namespace starport
