// Which kind of file a JSON document is, for errors about a file given in the place of another.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// "a platform", "a schedule", ..., by the key that only such files have; empty: nobody knows.
std::string document_kind(const nlohmann::json& document);

}  // namespace starport
