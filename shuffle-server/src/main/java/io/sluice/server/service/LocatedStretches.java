package io.sluice.server.service;

import io.sluice.proto.LocatedStretch;
import io.sluice.proto.PartitionState;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileLocation;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import io.sluice.server.storage.ReadableRun;
import io.sluice.server.storage.StorageKind;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells clients where bytes lie in files that they may read themselves. For one reply. */
final class LocatedStretches {
  /** About 1 MiB of a reply, whose head may have 16 MiB; what is left out is fetched. */
  private static final int MAX_STRETCHES = 40_000;

  private final ShuffleLog log;
  private final boolean withLocal;
  private final List<RunFileLocation> files = new ArrayList<>();
  private final Map<StoredRun, Integer> indexes = new IdentityHashMap<>();
  private int stretches;

  /**
   * @param withLocal whether descriptors of local files can be had
   */
  LocatedStretches(ShuffleLog log, boolean withLocal) {
    this.log = log;
    this.withLocal = withLocal;
  }

  /** Files that were named so far. */
  List<RunFileLocation> files() {
    return files;
  }

  /** Adds what a partition has in files, up to the length that the state says. */
  void addTo(PartitionState.Builder state) {
    for (LocatedExtent extent : log.located(state.getPartition())) {
      long length = Math.min(extent.length(), state.getLength() - extent.offset());
      if (stretches >= MAX_STRETCHES || length <= 0) {
        return;
      }
      if (!(extent.run() instanceof ReadableRun run)) {
        continue;
      }
      Optional<RunFileLocation> file = location(run);
      if (file.isPresent()) {
        stretches++;
        state.addLocated(
            LocatedStretch.newBuilder()
                .setOffset(extent.offset())
                .setLength(length)
                .setFile(indexes.computeIfAbsent(run, unused -> add(file.get())))
                .setFileOffset(extent.fileOffset()));
      }
    }
  }

  private Optional<RunFileLocation> location(ReadableRun run) {
    if (run.disk().kind() == StorageKind.REMOTE) {
      return run.disk()
          .storage()
          .location(run.name())
          .map(path -> location(RunFileKind.REMOTE_FILE, path));
    }
    return withLocal
        ? Optional.of(location(RunFileKind.LOCAL_FILE, run.name()))
        : Optional.empty();
  }

  private static RunFileLocation location(RunFileKind kind, String name) {
    return RunFileLocation.newBuilder().setKind(kind).setName(name).build();
  }

  private int add(RunFileLocation file) {
    files.add(file);
    return files.size() - 1;
  }
}
