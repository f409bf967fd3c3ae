// Recognition of the kind of a document, for errors about a file given in place of another.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace starport {

/// Returns the kind of a JSON document with its article, such as "a platform" or "a schedule",
/// recognised by a top-level key that only such documents have; "" when the kind is not known.
std::string document_kind(const nlohmann::json& document);
/// Returns "a trace (CSV)" or "results (CSV)" by the columns in the first line of a text; "" for
/// any other text.
std::string csv_document_kind(std::string_view text);

/// Throws InputError, without a file name, when a document is known to be of a kind other than
/// `kind` (with its article, such as "a platform"). A document of unknown kind passes. `hint` is
/// added to the message.
void require_document_kind(const nlohmann::json& document, const std::string& kind,
                           const std::string& hint = {});
/// Throws InputError, without a file name, when the text of a file that should hold JSON of kind
/// `kind` (with its article, such as "a platform") is a trace or results in CSV. Any other text
/// passes.
void reject_csv(std::string_view text, const std::string& kind);

}  // namespace starport
