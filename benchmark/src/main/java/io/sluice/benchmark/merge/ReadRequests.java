package io.sluice.benchmark.merge;

import java.util.ArrayList;
import java.util.List;

/** Records the read requests of a shuffle, to replay them in another order on a disk model. */
final class ReadRequests {
  private record Request(Object file, long offset, int length, boolean endsSlice) {}

  private final List<List<Request>> byPartition = new ArrayList<>();
  private long count;

  void beginPartition() {
    byPartition.add(new ArrayList<>());
  }

  /**
   * @param endsSlice whether this is the last request of a slice; concurrent readers alternate
   *     after each slice
   */
  void add(Object file, long offset, int length, boolean endsSlice) {
    byPartition.get(byPartition.size() - 1).add(new Request(file, offset, length, endsSlice));
    count++;
  }

  long count() {
    return count;
  }

  /**
   * Replays the requests on a disk model with several readers. Each reader reads whole partitions,
   * and the readers alternate after each slice.
   */
  void replay(DiskModel disk, int readers) {
    int next = 0;
    List<List<Request>> reading = new ArrayList<>();
    List<Integer> positions = new ArrayList<>();
    while (next < byPartition.size() || !reading.isEmpty()) {
      while (reading.size() < readers && next < byPartition.size()) {
        reading.add(byPartition.get(next++));
        positions.add(0);
      }
      for (int i = reading.size() - 1; i >= 0; i--) {
        int at = positions.get(i);
        boolean sliceEnds = false;
        while (at < reading.get(i).size() && !sliceEnds) {
          Request request = reading.get(i).get(at++);
          disk.request(request.file, request.offset, request.length);
          sliceEnds = request.endsSlice;
        }
        positions.set(i, at);
        if (at == reading.get(i).size()) {
          reading.remove(i);
          positions.remove(i);
        }
      }
    }
  }
}
