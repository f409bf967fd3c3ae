#include "sim/report/page/run_encoding.hpp"

#include "sim/platform/ties.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

namespace starport {
namespace {

enum Flag : unsigned {
  to_master = 1,
  brings_a = 2,
  brings_b = 4,
  brings_c = 8,
  allows_update = 16,
  has_block_updates = 32,
  adds_c = 64,
  held_back = 128
};

class Bytes {
 public:
  void natural(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    natural(value < 0 ? 2 * static_cast<std::uint64_t>(-(value + 1)) + 1
                      : 2 * static_cast<std::uint64_t>(value));
  }
  void real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>(bits >> shift);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

struct Field {
  unsigned flag;  ///< of the transfers that have it
  Range (*range)(const Transfer&);
};

constexpr std::array<Field, 9> kFields{{
    {brings_a, [](const Transfer& transfer) { return transfer.a.rows; }},
    {brings_a, [](const Transfer& transfer) { return transfer.a.columns; }},
    {brings_b, [](const Transfer& transfer) { return transfer.b.rows; }},
    {brings_b, [](const Transfer& transfer) { return transfer.b.columns; }},
    {brings_c, [](const Transfer& transfer) { return transfer.c.rows; }},
    {brings_c, [](const Transfer& transfer) { return transfer.c.columns; }},
    {has_block_updates, [](const Transfer& transfer) { return transfer.update.rows; }},
    {has_block_updates, [](const Transfer& transfer) { return transfer.update.columns; }},
    {has_block_updates, [](const Transfer& transfer) { return transfer.update.inner; }},
}};

unsigned flags_of(const Transfer& transfer) {
  const Update& update = transfer.update;
  return (transfer.direction == Direction::to_master ? to_master : 0U) |
         (transfer.a.empty() ? 0U : brings_a) | (transfer.b.empty() ? 0U : brings_b) |
         (transfer.c.empty() ? 0U : brings_c) | (update.empty() ? 0U : allows_update) |
         (update.block_updates() > 0 ? has_block_updates : 0U) | (update.add_c ? adds_c : 0U);
}

class RunEncoder {
 public:
  RunEncoder(const Platform& platform, const Trace& trace)
      : trace_(trace), port_(platform.port.kind), workers_(platform.workers.size()) {}

  std::string encode() && {
    find_flags();
    bytes_.natural(trace_.size());
    for (const unsigned flags : flags_) bytes_.natural(flags);
    for (const TracedTransfer& event : trace_) {
      bytes_.natural(static_cast<std::uint64_t>(event.transfer.worker));
    }
    for (const std::int64_t lag : lags_) bytes_.natural(static_cast<std::uint64_t>(lag));
    for (const Field& field : kFields) {
      put(field, [](Range range) { return std::int64_t{range.begin}; });
      put(field, [](Range range) { return range.size(); });
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (flags_[i] & held_back) bytes_.real(trace_[i].dates.start_s);
    }
    if (port_ == Port::Kind::multi) {
      for (const TracedTransfer& event : trace_) bytes_.real(event.dates.start_s);
      for (const TracedTransfer& event : trace_) bytes_.real(event.dates.end_s);
    }
    return std::move(bytes_).text();
  }

 private:
  void find_flags() {
    std::vector<std::vector<double>> ends(workers_);  // of the updates of each worker
    std::array<double, 2> port_free_s{};
    std::vector<double> link_free_s(workers_);
    for (const auto& [transfer, dates] : trace_) {
      auto& updates = ends[static_cast<std::size_t>(transfer.worker)];
      unsigned flags = flags_of(transfer);
      const bool home = transfer.direction == Direction::to_master;
      double& port_s = port_free_s[port_ == Port::Kind::two && home ? 1 : 0];
      double& link_s = link_free_s[static_cast<std::size_t>(transfer.worker)];
      double due_s = std::max(port_s, link_s);
      std::int64_t lag = 0;
      if (transfer.after_update > 0) {
        lag = 1 + static_cast<std::int64_t>(updates.size()) - transfer.after_update;
        due_s = std::max(due_s, updates.at(static_cast<std::size_t>(transfer.after_update - 1)));
      }
      const bool dated = port_ != Port::Kind::multi;
      if (dated && clearly_less(due_s, dates.start_s)) flags |= held_back;
      if (flags & allows_update) updates.push_back(dates.update_end_s);
      flags_.push_back(flags);
      lags_.push_back(lag);
      port_s = link_s = dates.end_s;
    }
  }

  template <class Figure>
  void put(const Field& field, Figure figure) {
    std::vector<std::int64_t> last(workers_);
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      if (!(flags_[i] & field.flag)) continue;
      const Transfer& transfer = trace_[i].transfer;
      const std::int64_t value = figure(field.range(transfer));
      std::int64_t& previous = last[static_cast<std::size_t>(transfer.worker)];
      bytes_.integer(value - previous);
      previous = value;
    }
  }

  const Trace& trace_;
  Port::Kind port_;
  std::size_t workers_;
  std::vector<unsigned> flags_;
  std::vector<std::int64_t> lags_;
  Bytes bytes_;
};

}  // namespace

std::string encode_run(const Platform& platform, const Trace& trace) {
  return RunEncoder(platform, trace).encode();
}

std::string pack(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // the buffer is large enough
  }
  // EVP_EncodeBlock takes an int: long data goes in pieces of whole triples.
  constexpr std::size_t piece = 3 << 20;
  std::string text;
  std::vector<unsigned char> encoded(4 * (piece / 3) + 1);
  for (std::size_t at = 0; at < size; at += piece) {
    const int length = EVP_EncodeBlock(encoded.data(), packed.data() + at,
                                       static_cast<int>(std::min<std::size_t>(piece, size - at)));
    text.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace starport
