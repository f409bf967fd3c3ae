// Which kind of file a document is, for errors about a file given in the place of another.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace starport {

/// "a platform", "a schedule", ..., by the key that only such files have; empty: nobody knows.
std::string document_kind(const nlohmann::json& document);
/// "a trace (CSV)", "results (CSV)", by the header of a text; empty: it is neither.
std::string csv_kind(std::string_view text);

/// Throws InputError where a document is known to be of another kind than this one.
void expect_kind(const nlohmann::json& document, const std::string& kind,
                 const std::string& hint = {});
/// The same of the text of a file that should be JSON.
void refuse_csv(std::string_view text, const std::string& kind);

}  // namespace starport
