#include "sim/starpu/execution/tile_data.hpp"

#include "sim/starpu/execution/fault.hpp"

#include <fmt/format.h>
#ifdef STARPORT_HAS_CUDA
#include <starpu_cuda.h>
#endif
#include <starpu_opencl.h>

#include <condition_variable>
#include <deque>
#ifdef STARPORT_HAS_CUDA
#include <map>
#endif
#include <mutex>

namespace starport::starpu {
namespace {

/// The transfers of the tiles of the only TileData.
class Recorder {
 public:
  void reset(const double* elements, std::size_t tile_elements) {
    const std::lock_guard lock(mutex_);
    elements_ = reinterpret_cast<uintptr_t>(elements);
    tile_bytes_ = tile_elements * sizeof(double);
    transfers_.clear();
  }

  /// Begins a transfer of the tile that is at this address in main memory. Returns its number.
  std::size_t start(uintptr_t address, unsigned from, unsigned to) {
    const std::lock_guard lock(mutex_);
    transfers_.push_back(
        {.transfer = {.tile = static_cast<tiles::Tile>((address - elements_) / tile_bytes_),
                      .from = static_cast<std::int32_t>(from),
                      .to = static_cast<std::int32_t>(to)},
         .submitted_us = starpu_timing_now()});
    ++active_;
    return transfers_.size() - 1;
  }

  void end(std::size_t number) {
    const std::lock_guard lock(mutex_);
    transfers_[number].end_us = starpu_timing_now();
    if (--active_ == 0) idle_.notify_all();
  }

#ifdef STARPORT_HAS_CUDA
  /// Marks the end of transfer `number` by an event in `stream` of the current CUDA device.
  void end_in(cudaStream_t stream, std::size_t number) {
    const std::lock_guard lock(mutex_);
    int device = 0;
    cudaGetDevice(&device);
    const auto [start, is_first] = cuda_starts_.try_emplace(device);
    if (is_first) {
      start->second.event = record_event(stream);
      cudaEventSynchronize(start->second.event);
      start->second.date_us = starpu_timing_now();
    }
    cuda_ends_.push_back({.number = number, .device = device, .event = record_event(stream)});
    if (--active_ == 0) idle_.notify_all();
  }
#endif

  /// Blocks until devices have reported the end of all transfers, which may be after StarPU has.
  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return active_ == 0; });
#ifdef STARPORT_HAS_CUDA
    for (const CudaEnd& end : cuda_ends_) {
      const CudaStart& start = cuda_starts_.at(end.device);
      cudaSetDevice(end.device);
      cudaEventSynchronize(end.event);
      float elapsed_ms = 0;
      if (const cudaError_t error = cudaEventElapsedTime(&elapsed_ms, start.event, end.event);
          error != cudaSuccess) {
        report_fault(fmt::format("CUDA device {} does not report the end of a transfer ({})",
                                 end.device, cudaGetErrorString(error)));
      }
      cudaEventDestroy(end.event);
      transfers_[end.number].end_us = start.date_us + 1e3 * double{elapsed_ms};
    }
    cuda_ends_.clear();
#endif
  }

  std::vector<RecordedTransfer> transfers() {
    const std::lock_guard lock(mutex_);
    return {transfers_.begin(), transfers_.end()};
  }

 private:
#ifdef STARPORT_HAS_CUDA
  /// An event of a CUDA device and its date.
  struct CudaStart {
    cudaEvent_t event = nullptr;
    double date_us = 0;
  };
  /// The end of a transfer as an event of a CUDA device.
  struct CudaEnd {
    std::size_t number;
    int device;
    cudaEvent_t event;
  };

  static cudaEvent_t record_event(cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    return event;
  }

  std::map<int, CudaStart> cuda_starts_;  ///< by device
  std::vector<CudaEnd> cuda_ends_;
#endif
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<RecordedTransfer> transfers_;
  std::size_t active_ = 0;
  uintptr_t elements_ = 0;
  std::size_t tile_bytes_ = 1;
};

Recorder recorder;

struct starpu_matrix_interface* matrix(void* data_interface) {
  return static_cast<struct starpu_matrix_interface*>(data_interface);
}

std::size_t bytes_of(const struct starpu_matrix_interface& tile) {
  return std::size_t{tile.nx} * tile.ny * tile.elemsize;
}

/// Records the end of the transfer `number` once `event` is complete; at once without an event.
void record_end(std::size_t number, cl_int error, int status, const cl_event* event) {
  if (error != CL_SUCCESS) {
    report_fault(fmt::format("a transfer to or from a device failed (OpenCL error {})", error));
  }
  if (error != CL_SUCCESS || status != -EAGAIN || event == nullptr) {
    recorder.end(number);
    return;
  }
  // The number of the transfer is passed on as a pointer.
  const auto on_complete = [](cl_event, cl_int, void* argument) {
    recorder.end(reinterpret_cast<std::size_t>(argument));
  };
  if (clSetEventCallback(*event, CL_COMPLETE, on_complete, reinterpret_cast<void*>(number)) !=
      CL_SUCCESS) {
    recorder.end(number);
  }
}

int copy_to_device(void* from, unsigned from_node, void* to, unsigned to_node, cl_event* event) {
  const auto& source = *matrix(from);
  const auto& destination = *matrix(to);
  const std::size_t number = recorder.start(source.ptr, from_node, to_node);
  int status = 0;
  const cl_int error =
      starpu_opencl_copy_ram_to_opencl(reinterpret_cast<void*>(source.ptr), from_node,
                                       reinterpret_cast<cl_mem>(destination.dev_handle), to_node,
                                       bytes_of(source), destination.offset, event, &status);
  record_end(number, error, status, event);
  return error == CL_SUCCESS ? status : 0;
}

int copy_from_device(void* from, unsigned from_node, void* to, unsigned to_node, cl_event* event) {
  const auto& source = *matrix(from);
  const auto& destination = *matrix(to);
  const std::size_t number = recorder.start(destination.ptr, from_node, to_node);
  int status = 0;
  const cl_int error =
      starpu_opencl_copy_opencl_to_ram(reinterpret_cast<cl_mem>(source.dev_handle), from_node,
                                       reinterpret_cast<void*>(destination.ptr), to_node,
                                       bytes_of(source), source.offset, event, &status);
  record_end(number, error, status, event);
  return error == CL_SUCCESS ? status : 0;
}

int copy_to_device_at_once(void* from, unsigned from_node, void* to, unsigned to_node) {
  return copy_to_device(from, from_node, to, to_node, nullptr);
}
int copy_from_device_at_once(void* from, unsigned from_node, void* to, unsigned to_node) {
  return copy_from_device(from, from_node, to, to_node, nullptr);
}

#ifdef STARPORT_HAS_CUDA
/// Copies a tile between main memory and a CUDA device, in `stream` or, without one, at once.
int copy_with_cuda(void* from, unsigned from_node, void* to, unsigned to_node,
                   cudaStream_t stream) {
  const auto& source = *matrix(from);
  const auto& destination = *matrix(to);
  const bool leaves_memory = starpu_node_get_kind(from_node) == STARPU_CPU_RAM;
  const std::size_t number =
      recorder.start(leaves_memory ? source.ptr : destination.ptr, from_node, to_node);
  const int status = starpu_cuda_copy_async_sync(
      reinterpret_cast<void*>(source.ptr), from_node, reinterpret_cast<void*>(destination.ptr),
      to_node, bytes_of(source), stream,
      leaves_memory ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (status == -EAGAIN) {
    recorder.end_in(stream, number);
  } else {
    recorder.end(number);
  }
  return status;
}

int copy_with_cuda_at_once(void* from, unsigned from_node, void* to, unsigned to_node) {
  return copy_with_cuda(from, from_node, to, to_node, nullptr);
}

/// Returns 0 for two CUDA devices, between which tiles then go through main memory.
int can_copy(void*, unsigned from_node, void*, unsigned to_node, unsigned) {
  return starpu_node_get_kind(from_node) != STARPU_CUDA_RAM ||
         starpu_node_get_kind(to_node) != STARPU_CUDA_RAM;
}
#endif

/// StarPU's matrix interface with other functions for transfers to and from devices.
struct starpu_data_interface_ops* recorded_matrix() {
  static struct starpu_data_copy_methods methods = [] {
    struct starpu_data_copy_methods changed = *starpu_interface_matrix_ops.copy_methods;
    changed.ram_to_opencl = copy_to_device_at_once;
    changed.opencl_to_ram = copy_from_device_at_once;
    changed.ram_to_opencl_async = copy_to_device;
    changed.opencl_to_ram_async = copy_from_device;
#ifdef STARPORT_HAS_CUDA
    changed.ram_to_cuda = copy_with_cuda_at_once;
    changed.cuda_to_ram = copy_with_cuda_at_once;
    changed.ram_to_cuda_async = copy_with_cuda;
    changed.cuda_to_ram_async = copy_with_cuda;
    changed.can_copy = can_copy;
#endif
    return changed;
  }();
  static struct starpu_data_interface_ops operations = [] {
    struct starpu_data_interface_ops changed = starpu_interface_matrix_ops;
    changed.copy_methods = &methods;
    return changed;
  }();
  return &operations;
}

}  // namespace

TileData::TileData(double* elements, tiles::Tile count, std::int64_t q)
    : handles_(static_cast<std::size_t>(count)) {
  const auto side = static_cast<std::uint32_t>(q);
  const std::size_t tile_elements = std::size_t{side} * side;
  recorder.reset(elements, tile_elements);
  for (std::size_t tile = 0; tile < handles_.size(); ++tile) {
    const auto address = reinterpret_cast<uintptr_t>(elements + tile * tile_elements);
    struct starpu_matrix_interface data {};
    data.id = STARPU_MATRIX_INTERFACE_ID;
    data.ptr = address;
    data.dev_handle = address;
    data.ld = side;
    data.nx = side;
    data.ny = side;
    data.elemsize = sizeof(double);
    data.allocsize = tile_elements * sizeof(double);
    starpu_data_register(&handles_[tile], STARPU_MAIN_RAM, &data, recorded_matrix());
  }
}

void TileData::unregister() {
  for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  handles_.clear();
  recorder.wait();
}

std::vector<RecordedTransfer> TileData::transfers() const { return recorder.transfers(); }

}  // namespace starport::starpu
