// SQLite: statements of ours, and questions of a user's, which may only read.
#pragma once

#include "sim/files/error.hpp"
#include "sim/report/database/result_table.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace starport {

/// A prepared statement of ours. Throws std::logic_error when SQLite refuses it, std::bad_alloc
/// when memory runs out.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  /// `index` counts from 1. The text must outlive the step.
  void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
  void bind(int index, double value) { sqlite3_bind_double(statement_, index, value); }
  void bind(int index, std::string_view text) {
    sqlite3_bind_text64(statement_, index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void bind(int index, std::monostate) { sqlite3_bind_null(statement_, index); }

  bool step();  ///< true as long as there is a row
  void reset() { sqlite3_reset(statement_); }

  int size() const { return sqlite3_column_count(statement_); }
  std::string name(int column) const { return sqlite3_column_name(statement_, column); }
  Cell cell(int column) const;

 private:
  sqlite3* database_;
  std::string sql_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(sqlite3* database, const std::string& sql);

/// The first `most` rows that answer a user's question, which only reads, within 30 s and 256 MiB.
/// `wrong` makes the error to throw from what was found instead of a question.
std::vector<Row> ask_restricted(sqlite3* database, const std::string& sql, std::size_t most,
                                const std::function<InputError(const std::string&)>& wrong);

}  // namespace starport
