package io.sluice.client.read;

import io.sluice.client.file.NamedRunFile;
import io.sluice.client.read.LocatedFile.Position;
import io.sluice.client.read.PartitionVisit.Stretch;
import io.sluice.proto.LocatedStretch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Divides the stretches of partitions by location, as an Open reply reports it: in run files that
 * the client reads directly, at the server, or lost. Used for one Open reply.
 */
final class StretchPlacement {
  /**
   * Minimum bytes for which a run file is opened: opening costs a round trip and each piece a
   * system call, while a Fetch requests many pieces at once.
   */
  private static final long MIN_FILE_BYTES = 64 << 10;

  /** Maximum number of run files of one server that a read opens. */
  private static final int MAX_FILES = 128;

  private final List<LocatedFile> files = new ArrayList<>();

  /**
   * @param mayOpen whether the client can open a file
   */
  StretchPlacement(OpenReply reply, Predicate<NamedRunFile> mayOpen) {
    long[] bytes = new long[reply.getFilesCount()];
    for (PartitionState state : reply.getPartitionsList()) {
      for (LocatedStretch located : state.getLocatedList()) {
        if (located.getFile() >= 0 && located.getFile() < bytes.length) {
          bytes[located.getFile()] += located.getLength();
        }
      }
    }
    int usable = 0;
    for (int i = 0; i < bytes.length; i++) {
      NamedRunFile file = NamedRunFile.of(reply.getFiles(i));
      boolean use = usable < MAX_FILES && bytes[i] >= MIN_FILE_BYTES && mayOpen.test(file);
      files.add(use ? new LocatedFile(file) : null);
      usable += use ? 1 : 0;
    }
  }

  /** Removes lost bytes, and adds the file position to the stretches in run files. */
  List<Stretch> locate(PartitionState state, List<Stretch> wanted) {
    List<Stretch> left = wanted;
    for (LostStretch lost : state.getLostList()) {
      left = without(left, lost.getOffset(), lost.getOffset() + lost.getLength());
    }
    if (files.isEmpty() || state.getLocatedCount() == 0) {
      return left;
    }
    List<Stretch> result = new ArrayList<>();
    for (Stretch stretch : left) {
      locate(state, stretch, result);
    }
    return result;
  }

  private static List<Stretch> without(List<Stretch> wanted, long from, long to) {
    List<Stretch> left = new ArrayList<>();
    for (Stretch stretch : wanted) {
      Stretch.append(
          left, stretch.offset(), Math.min(stretch.end(), from) - stretch.offset(), null);
      long start = Math.max(stretch.offset(), to);
      Stretch.append(left, start, stretch.end() - start, null);
    }
    return left;
  }

  private void locate(PartitionState state, Stretch stretch, List<Stretch> result) {
    long at = stretch.offset();
    for (LocatedStretch located : state.getLocatedList()) {
      LocatedFile file = file(located);
      long from = Math.max(at, located.getOffset());
      long to = Math.min(stretch.end(), located.getOffset() + located.getLength());
      if (file == null || from >= to) {
        continue;
      }
      Stretch.append(result, at, from - at, null);
      Position position =
          new Position(file, located.getFileOffset() + (from - located.getOffset()));
      Stretch.append(result, from, to - from, position);
      at = to;
    }
    Stretch.append(result, at, stretch.end() - at, null);
  }

  private LocatedFile file(LocatedStretch located) {
    int index = located.getFile();
    return index >= 0 && index < files.size() ? files.get(index) : null;
  }
}
