package io.sluice.benchmark.merge;

import java.util.ArrayList;
import java.util.List;

/** The requests that reading a shuffle back made, so that other orders can be tried on a model. */
final class ReadRequests {
  private record Request(Object file, long offset, int length, boolean endsSlice) {}

  private final List<List<Request>> byPartition = new ArrayList<>();
  private long count;

  void beginPartition() {
    byPartition.add(new ArrayList<>());
  }

  /**
   * @param endsSlice the last request of a slice: a reader that takes its turn with others goes on
   *     with the next slice when it is its turn again
   */
  void add(Object file, long offset, int length, boolean endsSlice) {
    byPartition.get(byPartition.size() - 1).add(new Request(file, offset, length, endsSlice));
    count++;
  }

  long count() {
    return count;
  }

  /**
   * Lets a disk do them again for some readers, each of which reads one partition after the other,
   * and which take turns slice by slice.
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
