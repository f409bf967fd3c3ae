// What labels of many instances cost, by the number of allocations: not by a time.
#include "sim/report/plots/instance_labels.hpp"

#include "sim/report/database/result_table.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

namespace {
std::atomic<std::size_t> allocations{0};
}

// For this whole program.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace starport {
namespace {

/// Returns the allocations for the labels of `count` instances, of which every two differ in their
/// repetition only.
std::size_t allocations_for(int count) {
  std::string text = "instance,platform,problem,repetition,heuristic,makespan_s\r\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{},star {},{}x8x8,{},Het,1\r\n", i + 1, i / 2, 8 * (i % 7 + 1), i % 2 + 1);
  }
  const test::TemporaryFile file(text, ".csv");
  const ResultTable table = ResultTable::read_csv(file.path());
  const std::size_t before = allocations;
  EXPECT_EQ(label_instances(table).instances.size(), static_cast<std::size_t>(count));
  return allocations - before;
}

TEST(InstanceLabels, CostNoMoreForEachInstanceIfThereAreMany) {
  const std::size_t few = allocations_for(500);
  const std::size_t many = allocations_for(8000);
  EXPECT_GT(few, 500U);  // they are counted
  EXPECT_LT(many, 2 * 16 * few);
}

}  // namespace
}  // namespace starport
